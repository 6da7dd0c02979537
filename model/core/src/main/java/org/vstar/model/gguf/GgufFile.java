package org.vstar.model.gguf;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.InvalidInputException;

/**
 * A GGUF file: metadata, the names and places of tensors, their data. Every bound is checked when
 * it is opened; data are mapped when they are read.
 *
 * @param metadata what the file says of its model
 * @param tensors by name, in the file's order
 * @param dataStart the byte that tensors' places are counted from
 */
record GgufFile(
    Path path, GgufMetadata metadata, Map<String, StoredTensor> tensors, long dataStart) {

  private static final int MAGIC = 0x46554747; // "GGUF"
  private static final int OLDEST = 2;
  private static final int NEWEST = 3;
  private static final int ALIGNMENT = 32;
  private static final int MOST_DIMENSIONS = 4;
  private static final int DEEPEST = 4;

  /** The header of the largest known file has 40 MB. */
  private static final long LONGEST_HEADER = 1L << 30;

  /**
   * A tensor's place.
   *
   * @param columns numbers of a row; the side that the file names first
   * @param rows 1 for a vector
   * @param offset its first byte, counted from the data's
   */
  record StoredTensor(
      String name, GgufType type, int columns, int rows, boolean isMatrix, long offset) {

    long bytes() {
      return type.bytes((long) columns * rows);
    }
  }

  /**
   * Opens a file.
   *
   * @throws InvalidInputException if it is missing, no GGUF file, damaged, or of types that are not
   *     known
   */
  static GgufFile open(Path path) {
    try (FileChannel channel = FileChannel.open(path)) {
      long size = channel.size();
      ByteBuffer header =
          channel
              .map(FileChannel.MapMode.READ_ONLY, 0, Math.min(size, LONGEST_HEADER))
              .order(ByteOrder.LITTLE_ENDIAN);
      return new Reader(path, header, size).read();
    } catch (NoSuchFileException e) {
      throw new InvalidInputException("--gguf: " + path + " does not exist", e);
    } catch (BufferUnderflowException e) {
      throw new InvalidInputException(path + " was cut short: its header is not whole", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + path, e);
    }
  }

  /** The bytes of some of a tensor's numbers, which are whole blocks. */
  ByteBuffer map(FileChannel channel, StoredTensor tensor, long first, int count)
      throws IOException {
    long from = dataStart + tensor.offset + tensor.type.bytes(first);
    long bytes = tensor.type.bytes(count);
    if (from + bytes > channel.size()) {
      throw new InvalidInputException(path + " was cut short since it was opened");
    }
    return channel.map(FileChannel.MapMode.READ_ONLY, from, bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** All numbers of a small tensor, in the file's order. */
  float[] read(StoredTensor tensor) {
    float[] values = new float[tensor.columns * tensor.rows];
    try (FileChannel channel = FileChannel.open(path)) {
      tensor.type.dequantise(map(channel, tensor, 0, values.length), 0, values, 0, values.length);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + path, e);
    }
    return values;
  }

  /** Reads the header from its first byte to its last. */
  private static final class Reader {
    private final Path path;
    private final ByteBuffer header;
    private final long size;

    Reader(Path path, ByteBuffer header, long size) {
      this.path = path;
      this.header = header;
      this.size = size;
    }

    GgufFile read() {
      if (size < Integer.BYTES || header.getInt() != MAGIC) {
        throw new InvalidInputException(path + " is not a GGUF file");
      }
      int version = header.getInt();
      if (version < OLDEST || version > NEWEST) {
        int other = Integer.reverseBytes(version);
        boolean swapped = other > 0 && other <= NEWEST;
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s is a GGUF file of %s, expected version %d or %d, little-endian",
                path,
                swapped ? "the other byte order" : "version " + Integer.toUnsignedString(version),
                OLDEST,
                NEWEST));
      }
      long tensorCount = count("tensors", 24);
      long valueCount = count("values", 12);
      Map<String, Object> values = new LinkedHashMap<>();
      for (long i = 0; i < valueCount; i++) {
        String key = text();
        if (values.put(key, value(key, header.getInt(), 0)) != null) {
          throw new InvalidInputException(path + ": '" + key + "' is in its metadata twice");
        }
      }
      GgufMetadata metadata = new GgufMetadata(path.toString(), values);
      int parts = metadata.integer("split.count").orElse(1);
      if (parts > 1) {
        throw metadata.wrong(
            "split.count", parts, "a whole model; llama-gguf-split --merge joins the parts");
      }
      int alignment = metadata.integer("general.alignment").orElse(ALIGNMENT);
      if (alignment <= 0 || alignment % 8 != 0) {
        throw metadata.wrong("general.alignment", alignment, "a multiple of 8");
      }
      Map<String, StoredTensor> tensors = new LinkedHashMap<>();
      for (long i = 0; i < tensorCount; i++) {
        StoredTensor tensor = tensor();
        if (tensors.put(tensor.name, tensor) != null) {
          throw new InvalidInputException(path + ": tensor '" + tensor.name + "' is there twice");
        }
      }
      long start = (header.position() + alignment - 1L) / alignment * alignment;
      tensors.values().forEach(tensor -> requireInside(tensor, alignment, start));
      requireApart(new ArrayList<>(tensors.values()));
      return new GgufFile(path, metadata, tensors, start);
    }

    /** A count that the rest of the file has room for. */
    private int count(String what, int leastBytes) {
      long count = header.getLong();
      if (count < 0 || count > header.remaining() / leastBytes) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s says that it has %s %s, more than its %d bytes hold: it is damaged or was cut"
                    + " short",
                path,
                Long.toUnsignedString(count),
                what,
                size));
      }
      return (int) count;
    }

    private String text() {
      byte[] bytes = new byte[count("bytes in a text", 1)];
      header.get(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    private Object value(String key, int type, int depth) {
      return switch (type) {
        case 0 -> (long) (header.get() & 0xff);
        case 1 -> (long) header.get();
        case 2 -> (long) (header.getShort() & 0xffff);
        case 3 -> (long) header.getShort();
        case 4 -> header.getInt() & 0xffffffffL;
        case 5 -> (long) header.getInt();
        case 6 -> shortest(header.getFloat());
        case 7 -> header.get() != 0;
        case 8 -> text();
        case 9 -> list(key, depth);
        case 10, 11 -> header.getLong();
        case 12 -> header.getDouble();
        default ->
            throw new InvalidInputException(
                path + ": '" + key + "' has the unknown type " + Integer.toUnsignedString(type));
      };
    }

    /** What was meant: 1e-5, not the float32 next to it. */
    private static double shortest(float value) {
      return Double.parseDouble(Float.toString(value));
    }

    private List<Object> list(String key, int depth) {
      if (depth == DEEPEST) {
        throw new InvalidInputException(path + ": '" + key + "' is lists within lists");
      }
      int type = header.getInt();
      int count = count("values in '" + key + "'", leastBytes(type));
      List<Object> list = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        list.add(value(key, type, depth + 1));
      }
      return list;
    }

    /** How many bytes a value has at least. */
    private static int leastBytes(int type) {
      return switch (type) {
        case 2, 3 -> Short.BYTES;
        case 4, 5, 6 -> Integer.BYTES;
        case 8, 10, 11, 12 -> Long.BYTES;
        case 9 -> Integer.BYTES + Long.BYTES;
        default -> 1;
      };
    }

    private StoredTensor tensor() {
      String name = text();
      int dimensions = header.getInt();
      if (dimensions < 1 || dimensions > MOST_DIMENSIONS) {
        throw wrong(
            name, "has " + Integer.toUnsignedString(dimensions) + " dimensions, expected 1 or 2");
      }
      long[] shape = new long[dimensions];
      long numbers = 1;
      for (int i = 0; i < dimensions; i++) {
        shape[i] = header.getLong();
        boolean fits = shape[i] > 0 && shape[i] <= (Integer.MAX_VALUE - 8) / numbers;
        if (!fits || i > 1 && shape[i] > 1) {
          throw wrong(
              name,
              "has the dimension " + shape[i] + ", expected two dimensions and below 2³¹ numbers");
        }
        numbers *= shape[i];
      }
      int id = header.getInt();
      GgufType type =
          GgufType.of(id)
              .orElseThrow(
                  () ->
                      wrong(
                          name,
                          "has the type number "
                              + Integer.toUnsignedString(id)
                              + ", expected one of "
                              + GgufType.known()));
      if (shape[0] % type.block() != 0) {
        throw wrong(name, "has rows of " + shape[0] + ", expected blocks of " + type.block());
      }
      int rows = dimensions > 1 ? (int) shape[1] : 1;
      return new StoredTensor(name, type, (int) shape[0], rows, dimensions > 1, header.getLong());
    }

    private void requireInside(StoredTensor tensor, int alignment, long start) {
      long room = size - start;
      if (tensor.offset < 0
          || tensor.offset % alignment != 0
          || tensor.offset > room
          || tensor.bytes() > room - tensor.offset) {
        throw wrong(
            tensor.name,
            String.format(
                Locale.ROOT,
                "has %d bytes from byte %s of the data, which have %d: it is damaged or was cut"
                    + " short",
                tensor.bytes(),
                Long.toUnsignedString(tensor.offset),
                Math.max(0, room)));
      }
    }

    private void requireApart(List<StoredTensor> tensors) {
      tensors.sort((a, b) -> Long.compare(a.offset, b.offset));
      for (int i = 1; i < tensors.size(); i++) {
        StoredTensor before = tensors.get(i - 1);
        if (before.offset + before.bytes() > tensors.get(i).offset) {
          throw wrong(tensors.get(i).name, "overlaps tensor '" + before.name + "'");
        }
      }
    }

    private InvalidInputException wrong(String tensor, String what) {
      return new InvalidInputException(path + ": tensor '" + tensor + "' " + what);
    }
  }
}
