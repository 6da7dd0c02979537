package org.vstar.spark;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.TensorSource.Tensor;

/** A model of 550 megabytes in bfloat16 whose weights are all 0: a hole in a file. */
final class SparseModel {

  private static final ModelConfig SHAPE =
      new ModelConfig(1, 1792, 14, 1, 512, 512, 10_000, 1e-6, false);

  /** As many as Qwen3's tokenizer has, and some that it has not, as published models have. */
  private static final int VOCABULARY = 151_936;

  private SparseModel() {}

  static Path write(Path folder) throws IOException {
    Files.createDirectories(folder);
    ObjectNode config = HuggingFaceConfig.of(SHAPE, VOCABULARY, List.of()).json();
    config.put("torch_dtype", "bfloat16");
    Files.writeString(folder.resolve("config.json"), config.toString());
    ObjectNode header = Json.MAPPER.createObjectNode();
    long at = 0;
    for (Tensor tensor : ModelTensors.of(SHAPE, VOCABULARY)) {
      ObjectNode entry = header.putObject(tensor.name()).put("dtype", "BF16");
      var shape = entry.putArray("shape");
      if (tensor.isMatrix()) {
        shape.add(tensor.rows());
      }
      shape.add(tensor.columns());
      entry.putArray("data_offsets").add(at).add(at + 2L * tensor.size());
      at += 2L * tensor.size();
    }
    String text = header.toString();
    byte[] head = (text + " ".repeat(8 - text.length() % 8)).getBytes(StandardCharsets.UTF_8);
    Path file = folder.resolve("model.safetensors");
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
      out.write(length.putLong(head.length).array());
      out.write(head);
      out.setLength(8 + head.length + at);
    }
    return folder;
  }
}
