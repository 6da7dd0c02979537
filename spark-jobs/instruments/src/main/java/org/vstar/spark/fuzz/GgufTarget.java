package org.vstar.spark.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.vstar.common.AtomicFiles;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.engine.DType;
import org.vstar.model.gguf.GgufImport;

/**
 * The importer of GGUF files. The file that is changed is a Llama of one layer and 32 columns, with
 * a tensor of blocks and a tokenizer of a few letters.
 */
record GgufTarget(byte[] content, int header, Path folder) implements Target {

  private static final int WIDTH = 32;
  private static final int ALIGNMENT = 32;
  private static final int F32 = 0;
  private static final int Q8_0 = 8;
  private static final List<String> TOKENS = List.of("a", "b", "ab", "<|im_end|>");

  static Target of(Path folder) {
    return small(folder);
  }

  @Override
  public String name() {
    return "gguf";
  }

  @Override
  public void attack(SplittableRandom random) throws IOException {
    Path file = Files.createDirectories(folder).resolve("changed.gguf");
    if (random.nextBoolean()) {
      Files.write(file, Mutation.bytes(random, content));
    } else {
      Files.write(file, Mutation.bytes(random, Arrays.copyOf(content, header)));
      byte[] data = Arrays.copyOfRange(content, header, content.length);
      Files.write(file, data, StandardOpenOption.APPEND);
    }
    Path to = folder.resolve("out");
    AtomicFiles.delete(to);
    GgufImport.write(file, Optional.empty(), DType.FLOAT32, to);
    HuggingFaceModel.open(to);
  }

  private static GgufTarget small(Path folder) {
    ByteBuffer header = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer data = ByteBuffer.allocate(1 << 17).order(ByteOrder.LITTLE_ENDIAN);
    header.put("GGUF".getBytes(StandardCharsets.US_ASCII)).putInt(3).putLong(11).putLong(14);
    text(key(header, "general.architecture", 8), "llama");
    for (String key : List.of("embedding_length", "feed_forward_length", "context_length")) {
      key(header, "llama." + key, 4).putInt(WIDTH);
    }
    for (String key : List.of("block_count", "attention.head_count")) {
      key(header, "llama." + key, 4).putInt(1);
    }
    key(header, "llama.attention.layer_norm_rms_epsilon", 6).putFloat(1e-5f);
    key(header, "llama.rope.freq_base", 6).putFloat(1e4f);
    text(key(header, "tokenizer.ggml.model", 8), "gpt2");
    text(key(header, "tokenizer.ggml.pre", 8), "smollm");
    key(header, "tokenizer.ggml.tokens", 9).putInt(8).putLong(TOKENS.size());
    TOKENS.forEach(token -> text(header, token));
    key(header, "tokenizer.ggml.merges", 9).putInt(8).putLong(1);
    text(header, "a b");
    key(header, "tokenizer.ggml.eos_token_id", 4).putInt(TOKENS.size() - 1);
    key(header, "tokenizer.ggml.token_type", 9).putInt(5).putLong(TOKENS.size());
    header.putInt(1).putInt(1).putInt(1).putInt(3);
    tensor(header, data, "token_embd.weight", TOKENS.size(), Q8_0);
    for (String name : List.of("attn_q", "attn_k", "attn_v", "attn_output")) {
      tensor(header, data, "blk.0." + name + ".weight", WIDTH, F32);
    }
    for (String name : List.of("ffn_gate", "ffn_up", "ffn_down")) {
      tensor(header, data, "blk.0." + name + ".weight", WIDTH, Q8_0);
    }
    for (String name : List.of("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm")) {
      tensor(header, data, name + ".weight", 1, F32);
    }
    int start = (header.position() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    byte[] whole = new byte[start + data.position()];
    System.arraycopy(header.array(), 0, whole, 0, header.position());
    System.arraycopy(data.array(), 0, whole, start, data.position());
    return new GgufTarget(whole, start, folder);
  }

  private static ByteBuffer key(ByteBuffer to, String key, int type) {
    return text(to, key).putInt(type);
  }

  private static ByteBuffer text(ByteBuffer to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return to.putLong(bytes.length).put(bytes);
  }

  /** A tensor of {@link #WIDTH} columns; one row is a vector. */
  private static void tensor(ByteBuffer header, ByteBuffer data, String name, int rows, int type) {
    text(header, name).putInt(rows == 1 ? 1 : 2).putLong(WIDTH);
    if (rows > 1) {
      header.putLong(rows);
    }
    header.putInt(type).putLong(data.position());
    for (int row = 0; row < rows; row++) {
      if (type == Q8_0) {
        data.putShort((short) 0x2000); // the half 2⁻⁷
      }
      for (int i = 0; i < WIDTH; i++) {
        if (type == Q8_0) {
          data.put((byte) (row + i));
        } else {
          data.putFloat((row - i) / 64f);
        }
      }
    }
    data.position((data.position() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }
}
