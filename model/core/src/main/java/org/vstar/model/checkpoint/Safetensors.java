package org.vstar.model.checkpoint;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.SafetensorsHeader.Entry;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.StoredTensors;
import org.vstar.model.engine.TensorSource;

/**
 * A file in Hugging Face's safetensors format: the length of a JSON header (8 bytes,
 * little-endian), the header (name → type, shape, byte range), the data. A file is mapped, so that
 * one of any size opens at once and takes no heap; a tensor's bytes are read when it is asked for.
 */
public final class Safetensors implements StoredTensors {

  private static final int ALIGNMENT = 8;

  /** Numbers that are mapped or written at once. */
  private static final int CHUNK = 1 << 20;

  private final Path file;
  private final String name;
  private final SafetensorsHeader header;

  private Safetensors(Path file, String name, SafetensorsHeader header) {
    this.file = file;
    this.name = name;
    this.header = header;
  }

  /**
   * Writes all tensors as float32.
   *
   * @throws InvalidInputException if a value is not finite
   */
  public static void write(TensorSource tensors, OutputStream out) throws IOException {
    write(tensors, DType.FLOAT32, out);
  }

  /**
   * Writes all tensors.
   *
   * @param type what they are rounded to
   * @throws InvalidInputException if a value is not finite
   */
  public static void write(TensorSource tensors, DType type, OutputStream out) throws IOException {
    byte[] head = header(tensors.tensors(), type).getBytes(StandardCharsets.UTF_8);
    out.write(littleEndian(ALIGNMENT).putLong(head.length).array());
    out.write(head);
    for (Tensor tensor : tensors.tensors()) {
      int[] at = {0};
      try {
        tensors.readPieces(
            tensor,
            (values, count) -> {
              requireFinite("cannot write", tensor, at[0], values, count);
              write(values, count, type, out);
              at[0] += count;
            });
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
  }

  private static void write(float[] values, int all, DType type, OutputStream out) {
    for (int at = 0; at < all; at += CHUNK) {
      int count = Math.min(CHUNK, all - at);
      ByteBuffer bytes = littleEndian(type.bytes() * count);
      type.write(values, at, count, bytes);
      try {
        out.write(bytes.array());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static String header(List<Tensor> tensors, DType type) {
    Map<String, Object> header = new LinkedHashMap<>();
    // What transformers looks for before it loads a file.
    header.put(SafetensorsHeader.METADATA, Map.of("format", "pt"));
    long at = 0;
    for (Tensor tensor : tensors) {
      long end = at + (long) type.bytes() * tensor.size();
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("dtype", type.safetensorsName());
      entry.put("shape", SafetensorsHeader.shape(tensor));
      entry.put("data_offsets", List.of(at, end));
      header.put(tensor.name(), entry);
      at = end;
    }
    StringBuilder text = new StringBuilder(Json.MAPPER.valueToTree(header).toString());
    while (text.length() % ALIGNMENT != 0) {
      text.append(' ');
    }
    return text.toString();
  }

  private static ByteBuffer littleEndian(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Opens a file.
   *
   * @throws InvalidInputException if it is no such file, was cut short, has a tensor of a type that
   *     is not in {@link DType}, or tensors that overlap or leave gaps
   */
  public static Safetensors open(Path file) throws IOException {
    String name = file.toString();
    try (FileChannel channel = FileChannel.open(file)) {
      return new Safetensors(file, name, SafetensorsHeader.read(name, channel));
    }
  }

  @Override
  public List<Tensor> tensors() {
    return header.tensors();
  }

  @Override
  public DType type(Tensor tensor) {
    return entry(tensor).type();
  }

  private Entry entry(Tensor tensor) {
    Entry entry = header.entry(tensor.name());
    if (entry == null || !entry.tensor().equals(tensor)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: tensor '%s' is %s, expected %s",
              name,
              tensor.name(),
              entry == null ? "missing" : SafetensorsHeader.shape(entry.tensor()),
              SafetensorsHeader.shape(tensor)));
    }
    return entry;
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    TensorSource.readJoined(this, tensor, into, offset);
  }

  @Override
  public void readPieces(Tensor tensor, Pieces to) {
    DType type = type(tensor);
    float[] values = new float[Math.min(CHUNK, tensor.size())];
    int[] at = {0};
    bytes(
        tensor,
        bytes -> {
          int count = bytes.remaining() / type.bytes();
          type.read(bytes, values, 0, count);
          requireFinite(name, tensor, at[0], values, count);
          to.take(values, count);
          at[0] += count;
        });
  }

  @Override
  public void bytes(Tensor tensor, Consumer<ByteBuffer> to) {
    Entry entry = entry(tensor);
    try (FileChannel channel = FileChannel.open(file)) {
      for (int at = 0; at < tensor.size(); at += CHUNK) {
        to.accept(map(channel, entry, at, Math.min(CHUNK, tensor.size() - at)));
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + name, e);
    } catch (InternalError e) {
      // What Java makes of a mapped page that is gone.
      throw new InvalidInputException(name + " was cut short while it was read", e);
    }
  }

  private ByteBuffer map(FileChannel channel, Entry entry, int at, int count) throws IOException {
    int bytes = entry.type().bytes();
    long from = header.dataStart() + entry.start() + (long) bytes * at;
    if (from + (long) bytes * count > channel.size()) {
      throw new InvalidInputException(name + " was cut short since it was opened");
    }
    return channel
        .map(FileChannel.MapMode.READ_ONLY, from, (long) bytes * count)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void requireFinite(
      String what, Tensor tensor, int from, float[] values, int count) {
    for (int i = 0; i < count; i++) {
      if (!Float.isFinite(values[i])) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s: tensor '%s' has %s at position %d, expected finite numbers (does a learning"
                    + " rate have to be lower?)",
                what,
                tensor.name(),
                values[i],
                from + i));
      }
    }
  }
}
