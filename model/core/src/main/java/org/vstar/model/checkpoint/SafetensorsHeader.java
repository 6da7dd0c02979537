package org.vstar.model.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * The header of a safetensors file, every bound of which has been checked against the file.
 *
 * @param entries by name
 * @param dataStart where the data begin in the file
 */
record SafetensorsHeader(Map<String, Entry> entries, long dataStart) {

  /** What is no tensor. */
  static final String METADATA = "__metadata__";

  /** The format's own limit. */
  private static final int LONGEST = 100_000_000;

  private static final ObjectReader HEADER =
      Json.MAPPER.reader().with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

  /** A tensor and the range of its bytes in the data. */
  record Entry(Tensor tensor, DType type, long start, long end) {}

  static SafetensorsHeader read(String file, FileChannel channel) throws IOException {
    long size = channel.size();
    ByteBuffer prefix = bytes(channel, 0, (int) Math.min(Long.BYTES, size));
    long length = prefix.remaining() < Long.BYTES ? -1 : prefix.getLong();
    if (length < 0 || length > Math.min(size - Long.BYTES, LONGEST)) {
      throw new InvalidInputException(file + " is not a safetensors file, or was cut short");
    }
    byte[] head = bytes(channel, Long.BYTES, (int) length).array();
    long start = Long.BYTES + length;
    try {
      if (HEADER.readTree(head) instanceof ObjectNode header) {
        Map<String, Entry> entries = entries(file, header);
        requireWhole(file, entries.values(), size - start);
        return new SafetensorsHeader(entries, start);
      }
      throw new InvalidInputException(file + " is not a safetensors file: it has no header");
    } catch (JsonProcessingException | CharConversionException e) {
      throw new InvalidInputException(file + " is not a safetensors file: " + e.getMessage(), e);
    }
  }

  private static ByteBuffer bytes(FileChannel channel, long from, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    int read = 0;
    while (bytes.hasRemaining() && read >= 0) {
      read = channel.read(bytes, from + bytes.position());
    }
    return bytes.flip();
  }

  private static Map<String, Entry> entries(String file, ObjectNode header) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    header
        .properties()
        .forEach(
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
    DType type = DType.ofSafetensors(found.path("dtype").asText()).orElse(null);
    boolean sized = shape.size() == 1 || shape.size() == 2;
    for (JsonNode side : shape) {
      sized &= side.isInt() && side.asInt() > 0;
    }
    boolean placed =
        offsets.size() == 2
            && offsets.get(0).isIntegralNumber()
            && offsets.get(1).isIntegralNumber();
    if (type == null || !sized || !placed) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: tensor '%s' is %s, expected dtype F32, F16 or BF16, a shape of one or two sides,"
                  + " and two data_offsets",
              file,
              name,
              found));
    }
    int rows = shape.size() > 1 ? shape.get(0).asInt() : 1;
    int columns = shape.get(shape.size() - 1).asInt();
    long start = offsets.get(0).asLong(-1);
    long end = offsets.get(1).asLong(-1);
    long values = (long) rows * columns;
    if (values > Integer.MAX_VALUE - 8 || start < 0 || end - start != values * type.bytes()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: tensor '%s' of shape %s has the bytes %d to %d, expected %d bytes of fewer than"
                  + " 2³¹ numbers",
              file,
              name,
              shape,
              start,
              end,
              values * type.bytes()));
    }
    return new Entry(new Tensor(name, rows, columns, shape.size() > 1), type, start, end);
  }

  /** Tensors follow one another from the data's first byte to its last, as the format says. */
  private static void requireWhole(String file, Collection<Entry> entries, long size) {
    long at = 0;
    for (Entry entry : entries.stream().sorted(Comparator.comparingLong(Entry::start)).toList()) {
      if (entry.start != at || entry.end > size) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s: tensor '%s' has the bytes %d to %d, expected it to begin at %d and to end"
                    + " within the data's %d bytes: the file was cut short or changed",
                file,
                entry.tensor.name(),
                entry.start,
                entry.end,
                at,
                size));
      }
      at = entry.end;
    }
    if (at != size) {
      throw new InvalidInputException(
          String.format(Locale.ROOT, "%s: %d bytes belong to no tensor", file, size - at));
    }
  }

  List<Tensor> tensors() {
    return entries.values().stream().map(Entry::tensor).toList();
  }

  Entry entry(String name) {
    return entries.get(name);
  }

  /** A tensor's sides, as the format writes them. */
  static List<Integer> shape(Tensor tensor) {
    return tensor.isMatrix() ? List.of(tensor.rows(), tensor.columns()) : List.of(tensor.columns());
  }
}
