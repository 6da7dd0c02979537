package org.vstar.model.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.TensorSource;

/**
 * Hugging Face's safetensors format, float32: the length of a JSON header (8 bytes, little-endian),
 * the header (name → type, shape, byte range), the data. Files of up to 2 GiB.
 */
public final class Safetensors implements TensorSource {

  private static final String TYPE = "F32";
  private static final int ALIGNMENT = 8;

  private static final ObjectReader HEADER =
      Json.MAPPER.reader().with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

  private static final String METADATA = "__metadata__";

  private final String file;
  private final Map<String, Entry> entries;
  private final ByteBuffer data;

  private Safetensors(String file, Map<String, Entry> entries, ByteBuffer data) {
    this.file = file;
    this.entries = entries;
    this.data = data;
  }

  /** A tensor and the range of its bytes in the data. */
  private record Entry(Tensor tensor, long start, long end) {}

  /**
   * Writes all tensors.
   *
   * @throws InvalidInputException if a value is not finite
   */
  public static void write(TensorSource tensors, OutputStream out) throws IOException {
    byte[] head = header(tensors.tensors()).getBytes(StandardCharsets.UTF_8);
    out.write(littleEndian(ALIGNMENT).putLong(head.length).array());
    out.write(head);
    for (Tensor tensor : tensors.tensors()) {
      float[] values = new float[tensor.size()];
      tensors.read(tensor, values, 0);
      requireFinite("cannot write", tensor, values, 0);
      ByteBuffer bytes = littleEndian(Math.multiplyExact(Float.BYTES, values.length));
      bytes.asFloatBuffer().put(values);
      out.write(bytes.array());
    }
  }

  private static String header(List<Tensor> tensors) {
    ObjectNode header = Json.MAPPER.createObjectNode();
    long at = 0;
    for (Tensor tensor : tensors) {
      ObjectNode entry = header.putObject(tensor.name()).put("dtype", TYPE);
      entry.set("shape", shape(tensor));
      long end = at + (long) Float.BYTES * tensor.size();
      entry.putArray("data_offsets").add(at).add(end);
      at = end;
    }
    StringBuilder text = new StringBuilder(header.toString());
    while (text.length() % ALIGNMENT != 0) {
      text.append(' ');
    }
    return text.toString();
  }

  private static ArrayNode shape(Tensor tensor) {
    ArrayNode shape = Json.MAPPER.createArrayNode();
    if (tensor.isMatrix()) {
      shape.add(tensor.rows());
    }
    return shape.add(tensor.columns());
  }

  private static ByteBuffer littleEndian(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Reads a file.
   *
   * @param file its name, for messages
   * @throws InvalidInputException if it is no such file, was cut short, has a tensor of another
   *     type than float32, or tensors that overlap or leave gaps
   */
  public static Safetensors read(String file, InputStream in) throws IOException {
    byte[] bytes = in.readAllBytes();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long length = bytes.length < ALIGNMENT ? -1 : buffer.getLong();
    if (length < 0 || length > buffer.remaining()) {
      throw new InvalidInputException(file + " is not a safetensors file, or was cut short");
    }
    byte[] head = new byte[(int) length];
    buffer.get(head);
    try {
      if (HEADER.readTree(head) instanceof ObjectNode header) {
        Map<String, Entry> entries = entries(file, header);
        requireWhole(file, entries.values(), buffer.remaining());
        return new Safetensors(file, entries, buffer.slice());
      }
      throw new InvalidInputException(file + " is not a safetensors file: it has no header");
    } catch (JsonProcessingException | CharConversionException e) {
      throw new InvalidInputException(file + " is not a safetensors file: " + e.getMessage(), e);
    }
  }

  private static Map<String, Entry> entries(String file, ObjectNode header) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    header
        .fields()
        .forEachRemaining(
            field -> {
              if (!field.getKey().equals(METADATA)) {
                entries.put(field.getKey(), entry(file, field.getKey(), field.getValue()));
              }
            });
    return entries;
  }

  private static Entry entry(String file, String name, JsonNode found) {
    JsonNode shape = found.path("shape");
    JsonNode offsets = found.path("data_offsets");
    boolean sized = shape.size() == 1 || shape.size() == 2;
    for (JsonNode side : shape) {
      sized &= side.isInt() && side.asInt() > 0;
    }
    boolean placed = offsets.size() == 2 && offsets.get(0).isIntegralNumber();
    if (!TYPE.equals(found.path("dtype").asText()) || !sized || !placed) {
      throw new InvalidInputException(
          String.format(
              "%s: tensor '%s' is %s, expected dtype %s, a shape of one or two sides, and two"
                  + " data_offsets",
              file, name, found, TYPE));
    }
    int rows = shape.size() > 1 ? shape.get(0).asInt() : 1;
    int columns = shape.get(shape.size() - 1).asInt();
    long start = offsets.get(0).asLong(-1);
    long end = offsets.get(1).asLong(-1);
    if (end - start != (long) rows * columns * Float.BYTES) {
      throw new InvalidInputException(
          String.format(
              "%s: tensor '%s' of shape %s has the bytes %d to %d, expected %d bytes",
              file, name, shape, start, end, (long) rows * columns * Float.BYTES));
    }
    return new Entry(new Tensor(name, rows, columns), start, end);
  }

  /** Tensors follow one another from the data's first byte to its last, as the format says. */
  private static void requireWhole(String file, Collection<Entry> entries, long size) {
    long at = 0;
    for (Entry entry : entries.stream().sorted(Comparator.comparingLong(Entry::start)).toList()) {
      if (entry.start != at || entry.end > size) {
        throw new InvalidInputException(
            String.format(
                "%s: tensor '%s' has the bytes %d to %d, expected it to begin at %d and to end"
                    + " within the data's %d bytes: the file was cut short or changed",
                file, entry.tensor.name(), entry.start, entry.end, at, size));
      }
      at = entry.end;
    }
    if (at != size) {
      throw new InvalidInputException(
          String.format("%s: %d bytes belong to no tensor", file, size - at));
    }
  }

  @Override
  public List<Tensor> tensors() {
    return entries.values().stream().map(Entry::tensor).toList();
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    Entry entry = entries.get(tensor.name());
    if (entry == null || !entry.tensor.equals(tensor)) {
      throw new InvalidInputException(
          String.format(
              "%s: tensor '%s' is %s, expected %s",
              file, tensor.name(), entry == null ? "missing" : shape(entry.tensor), shape(tensor)));
    }
    data.slice((int) entry.start, (int) (entry.end - entry.start))
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(into, offset, tensor.size());
    requireFinite(file, tensor, into, offset);
  }

  private static void requireFinite(String what, Tensor tensor, float[] values, int offset) {
    for (int i = offset; i < offset + tensor.size(); i++) {
      if (!Float.isFinite(values[i])) {
        throw new InvalidInputException(
            String.format(
                "%s: tensor '%s' has %s at position %d, expected finite numbers (does a learning"
                    + " rate have to be lower?)",
                what, tensor.name(), values[i], i - offset));
      }
    }
  }
}
