package org.vstar.model.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.vstar.env.InputError;
import org.vstar.model.transformer.ParameterLayout.Tensor;

/**
 * Hugging Face's safetensors format, float32: the length of a JSON header (8 bytes, little-endian),
 * the header (name → type, shape, byte range), the data.
 */
public final class Safetensors {

  private static final String TYPE = "F32";
  private static final int ALIGNMENT = 8;

  private Safetensors() {}

  /** Writes tensors that lie in one flat array. */
  public static void write(Path file, List<Tensor> tensors, float[] data) throws IOException {
    ObjectNode header = new ObjectMapper().createObjectNode();
    long at = 0;
    for (Tensor t : tensors) {
      ObjectNode entry = header.putObject(t.name()).put("dtype", TYPE);
      var shape = entry.putArray("shape");
      if (t.isMatrix()) {
        shape.add(t.rows());
      }
      shape.add(t.columns());
      entry.putArray("data_offsets").add(at).add(at + 4L * t.size());
      at += 4L * t.size();
    }
    StringBuilder text = new StringBuilder(header.toString());
    while (text.length() % ALIGNMENT != 0) {
      text.append(' ');
    }
    byte[] head = text.toString().getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(littleEndian(ALIGNMENT).putLong(head.length).array());
      out.write(head);
      for (Tensor t : tensors) {
        ByteBuffer bytes = littleEndian(Math.multiplyExact(4, t.size()));
        bytes.asFloatBuffer().put(data, t.offset(), t.size());
        out.write(bytes.array());
      }
    }
  }

  private static ByteBuffer littleEndian(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static JsonNode header(Path file, byte[] head) throws IOException {
    try {
      return new ObjectMapper().readTree(head);
    } catch (JsonProcessingException e) {
      throw new InputError(file + " is not a safetensors file: " + e.getOriginalMessage(), e);
    }
  }

  /**
   * Reads tensors into one flat array.
   *
   * @throws InputError if the file is cut short, or a tensor is missing or has another shape
   */
  public static void read(Path file, List<Tensor> tensors, float[] data) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    long length = in.remaining() < ALIGNMENT ? -1 : in.getLong();
    if (length < 0 || length > in.remaining()) {
      throw new InputError(file + " is not a safetensors file, or was cut short");
    }
    byte[] head = new byte[(int) length];
    in.get(head);
    JsonNode header = header(file, head);
    int base = in.position();
    for (Tensor t : tensors) {
      JsonNode entry = header.path(t.name());
      String shape =
          t.isMatrix() ? "[" + t.rows() + "," + t.columns() + "]" : "[" + t.columns() + "]";
      if (!TYPE.equals(entry.path("dtype").asText())
          || !shape.equals(entry.path("shape").toString())) {
        throw new InputError(
            file
                + ": tensor '"
                + t.name()
                + "' is "
                + (entry.isMissingNode() ? "missing" : entry)
                + ", expected "
                + TYPE
                + " of shape "
                + shape);
      }
      long start = base + entry.path("data_offsets").path(0).asLong();
      if (start < base || start + 4L * t.size() > in.capacity()) {
        throw new InputError(
            file
                + " was cut short: tensor '"
                + t.name()
                + "' ends at byte "
                + (start + 4L * t.size())
                + ", the file at "
                + in.capacity());
      }
      in.slice((int) start, 4 * t.size())
          .order(ByteOrder.LITTLE_ENDIAN)
          .asFloatBuffer()
          .get(data, t.offset(), t.size());
    }
  }
}
