package org.vstar.model.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.RopeScaling;
import org.vstar.model.gguf.GgufFile.StoredTensor;
import org.vstar.model.tokenizer.Tokenizer;

/** Tokenizers and rotary positions that no file of the tests has. */
class GgufMetadataTest {

  private static final int PAIRS = 32;

  @TempDir private Path folder;

  @Test
  void sentencePiecesAreMergedByScoreAndOtherLettersAreTheirBytes() {
    Map<String, Object> values = new HashMap<>();
    values.put("tokenizer.ggml.model", "llama");
    values.put(
        "tokenizer.ggml.tokens",
        List.of("<unk>", "<s>", "</s>", "<0x21>", "\u2581", "a", "b", "c", "ab", "bc", "\u2581ab"));
    values.put(
        "tokenizer.ggml.scores",
        List.of(0.0, 0.0, 0.0, 0.0, -9.0, -9.0, -9.0, -9.0, -2.0, -1.0, -3.0));
    values.put("tokenizer.ggml.token_type", List.of(2L, 3L, 3L, 6L, 1L, 1L, 1L, 1L, 1L, 1L, 1L));
    values.put("tokenizer.ggml.unknown_token_id", 0L);
    values.put("tokenizer.ggml.bos_token_id", 1L);
    values.put("tokenizer.ggml.eos_token_id", 2L);
    GgufMetadata metadata = new GgufMetadata("file", values);
    Tokenizer tokenizer = new Tokenizer(new GgufTokenizer(metadata).json());
    // "bc" has a higher score than "ab".
    assertThat(tokenizer.encode("abc ab!</s>")).containsExactly(4, 5, 9, 10, 3, 2);
    assertThat(tokenizer.decode(new int[] {4, 5, 9, 10, 3})).isEqualTo("abc ab!");
    assertThat(GgufTokenizer.endTokens(metadata)).containsExactly(2);
  }

  private GgufFile withFactors(float shift) throws Exception {
    RopeScaling rule = new RopeScaling(RopeScaling.Kind.LLAMA3, 8, 1.0, 4.0, 8192);
    ByteBuffer data = ByteBuffer.allocate(PAIRS * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < PAIRS; i++) {
      double frequency = Math.pow(500_000, -(double) i / PAIRS);
      data.putFloat((float) (frequency / rule.of(frequency)) + shift);
    }
    Path path = Files.write(folder.resolve("factors"), data.array());
    Map<String, Object> values = new HashMap<>(Map.of("general.architecture", "llama"));
    values.put("llama.embedding_length", 128L);
    values.put("llama.attention.head_count", 2L);
    values.put("llama.context_length", 131_072L);
    values.put("llama.block_count", 1L);
    values.put("llama.feed_forward_length", 32L);
    values.put("llama.rope.freq_base", 500_000.0);
    values.put("llama.attention.layer_norm_rms_epsilon", 1e-5);
    Map<String, StoredTensor> tensors = new HashMap<>();
    for (String name : List.of("token_embd.weight", "blk.0.attn_q.weight")) {
      tensors.put(name, new StoredTensor(name, GgufType.F32, 128, 128, true, 0));
    }
    String factors = GgufConfig.ROPE_FACTORS;
    tensors.put(factors, new StoredTensor(factors, GgufType.F32, PAIRS, 1, false, 0));
    return new GgufFile(path, new GgufMetadata("file", values), tensors, 0);
  }

  @Test
  void theFactorsOfLlama3AreTheRuleThatTheyFollowAndOthersAreRefused() throws Exception {
    RopeScaling found = new GgufConfig(withFactors(0)).read().model().ropeScaling();
    assertThat(found).isEqualTo(new RopeScaling(RopeScaling.Kind.LLAMA3, 8, 1.0, 4.0, 8192));
    GgufFile other = withFactors(0.5f);
    assertThatThrownBy(() -> new GgufConfig(other).read())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll("file: ", "rope_freqs.weight", "Llama 3's rule");
  }
}
