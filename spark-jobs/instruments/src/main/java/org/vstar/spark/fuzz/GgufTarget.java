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
import org.vstar.common.InvalidInputException;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.engine.DType;
import org.vstar.model.gguf.GgufImport;

/**
 * The importer of GGUF files. The files that are changed are Llamas of one layer and 32 columns:
 * with tensors of blocks, biases among them, and a tokenizer of a few letters of either kind.
 */
record GgufTarget(List<Content> files, Path folder) implements Target {

  /**
   * A whole file.
   *
   * @param header how many bytes its header has
   */
  record Content(byte[] bytes, int header) {}

  private static final int WIDTH = 32;
  private static final int ALIGNMENT = 32;
  private static final int F32 = 0;
  private static final int Q8_0 = 8;
  private static final int Q6_K = 14;
  private static final int SUPER_BLOCK = 256;

  /** The half 2⁻⁷. */
  private static final short SCALE = 0x2000;

  private static final List<String> TOKENS = List.of("a", "b", "ab", "<|im_end|>");

  static Target of(Path folder) {
    return new GgufTarget(List.of(small(true), small(false)), folder);
  }

  @Override
  public String name() {
    return "gguf";
  }

  @Override
  public void attack(SplittableRandom random) throws IOException {
    Path file = Files.createDirectories(folder).resolve("changed.gguf");
    Content whole = files.get(random.nextInt(files.size()));
    byte[] content = whole.bytes;
    int header = whole.header;
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
    try {
      HuggingFaceModel.open(to);
    } catch (InvalidInputException e) {
      throw new IllegalStateException("what was imported cannot be opened: " + e.getMessage(), e);
    }
  }

  private static Content small(boolean byteLevel) {
    ByteBuffer header = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer data = ByteBuffer.allocate(1 << 17).order(ByteOrder.LITTLE_ENDIAN);
    header.put("GGUF".getBytes(StandardCharsets.US_ASCII)).putInt(3).putLong(15);
    header.putLong(byteLevel ? 14 : 13);
    text(key(header, "general.architecture", 8), "llama");
    for (String key : List.of("embedding_length", "context_length")) {
      key(header, "llama." + key, 4).putInt(WIDTH);
    }
    key(header, "llama.feed_forward_length", 4).putInt(SUPER_BLOCK);
    for (String key : List.of("block_count", "attention.head_count")) {
      key(header, "llama." + key, 4).putInt(1);
    }
    key(header, "llama.attention.layer_norm_rms_epsilon", 6).putFloat(1e-5f);
    key(header, "llama.rope.freq_base", 6).putFloat(1e4f);
    text(key(header, "tokenizer.ggml.model", 8), byteLevel ? "gpt2" : "llama");
    key(header, "tokenizer.ggml.tokens", 9).putInt(8).putLong(TOKENS.size());
    TOKENS.forEach(token -> text(header, token));
    if (byteLevel) {
      text(key(header, "tokenizer.ggml.pre", 8), "smollm");
      key(header, "tokenizer.ggml.merges", 9).putInt(8).putLong(1);
      text(header, "a b");
    } else {
      key(header, "tokenizer.ggml.scores", 9).putInt(6).putLong(TOKENS.size());
      TOKENS.forEach(token -> header.putFloat(-token.length()));
    }
    key(header, "tokenizer.ggml.eos_token_id", 4).putInt(TOKENS.size() - 1);
    key(header, "tokenizer.ggml.token_type", 9).putInt(5).putLong(TOKENS.size());
    header.putInt(1).putInt(1).putInt(1).putInt(3);
    tensor(header, data, "token_embd.weight", WIDTH, TOKENS.size(), Q8_0);
    for (String name : List.of("attn_q", "attn_k", "attn_v", "attn_output")) {
      tensor(header, data, "blk.0." + name + ".weight", WIDTH, WIDTH, F32);
      tensor(header, data, "blk.0." + name + ".bias", WIDTH, 1, Q8_0);
    }
    for (String name : List.of("ffn_gate", "ffn_up")) {
      tensor(header, data, "blk.0." + name + ".weight", WIDTH, SUPER_BLOCK, Q8_0);
    }
    tensor(header, data, "blk.0.ffn_down.weight", SUPER_BLOCK, WIDTH, Q6_K);
    for (String name : List.of("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm")) {
      tensor(header, data, name + ".weight", WIDTH, 1, F32);
    }
    int start = (header.position() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    byte[] whole = new byte[start + data.position()];
    System.arraycopy(header.array(), 0, whole, 0, header.position());
    System.arraycopy(data.array(), 0, whole, start, data.position());
    return new Content(whole, start);
  }

  private static ByteBuffer key(ByteBuffer to, String key, int type) {
    return text(to, key).putInt(type);
  }

  private static ByteBuffer text(ByteBuffer to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return to.putLong(bytes.length).put(bytes);
  }

  /** A tensor; one row is a vector. */
  private static void tensor(
      ByteBuffer header, ByteBuffer data, String name, int columns, int rows, int type) {
    text(header, name).putInt(rows == 1 ? 1 : 2).putLong(columns);
    if (rows > 1) {
      header.putLong(rows);
    }
    header.putInt(type).putLong(data.position());
    for (int row = 0; row < rows; row++) {
      switch (type) {
        case Q8_0 -> {
          data.putShort(SCALE);
          for (int i = 0; i < columns; i++) {
            data.put((byte) (row + i));
          }
        }
        case Q6_K -> {
          for (int i = 0; i < SUPER_BLOCK * 3 / 4 + SUPER_BLOCK / 16; i++) {
            data.put((byte) (row + i));
          }
          data.putShort(SCALE);
        }
        default -> {
          for (int i = 0; i < columns; i++) {
            data.putFloat((row - i) / 64f);
          }
        }
      }
    }
    data.position((data.position() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }
}
