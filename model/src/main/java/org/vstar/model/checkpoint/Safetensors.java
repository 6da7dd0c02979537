package org.vstar.model.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

  private final String file;
  private final JsonNode header;
  private final ByteBuffer data;

  private Safetensors(String file, JsonNode header, ByteBuffer data) {
    this.file = file;
    this.header = header;
    this.data = data;
  }

  /** Writes all tensors. */
  public static void write(TensorSource tensors, OutputStream out) throws IOException {
    byte[] head = header(tensors.tensors()).getBytes(StandardCharsets.UTF_8);
    out.write(littleEndian(ALIGNMENT).putLong(head.length).array());
    out.write(head);
    for (Tensor tensor : tensors.tensors()) {
      float[] values = new float[tensor.size()];
      tensors.read(tensor, values, 0);
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
   * @throws InvalidInputException if it is no such file or was cut short
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
      if (Json.MAPPER.readTree(head) instanceof ObjectNode header) {
        return new Safetensors(file, header, buffer.slice());
      }
      throw new InvalidInputException(file + " is not a safetensors file: it has no header");
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(
          file + " is not a safetensors file: " + e.getOriginalMessage(), e);
    }
  }

  @Override
  public List<Tensor> tensors() {
    List<Tensor> tensors = new ArrayList<>();
    header
        .fields()
        .forEachRemaining(
            entry -> {
              JsonNode shape = entry.getValue().path("shape");
              int columns = shape.path(shape.size() - 1).asInt();
              tensors.add(
                  new Tensor(entry.getKey(), shape.size() > 1 ? shape.get(0).asInt() : 1, columns));
            });
    return tensors;
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    JsonNode entry = header.path(tensor.name());
    ArrayNode shape = shape(tensor);
    if (!TYPE.equals(entry.path("dtype").asText()) || !shape.equals(entry.path("shape"))) {
      String found = entry.isMissingNode() ? "missing" : entry.toString();
      throw new InvalidInputException(
          String.format(
              "%s: tensor '%s' is %s, expected %s of shape %s",
              file, tensor.name(), found, TYPE, shape));
    }
    long start = entry.path("data_offsets").path(0).asLong(-1);
    long end = start + (long) Float.BYTES * tensor.size();
    if (start < 0 || end > data.capacity()) {
      throw new InvalidInputException(
          String.format(
              "%s was cut short: tensor '%s' ends at byte %d of the data, which has %d",
              file, tensor.name(), end, data.capacity()));
    }
    data.slice((int) start, (int) (end - start))
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(into, offset, tensor.size());
  }
}
