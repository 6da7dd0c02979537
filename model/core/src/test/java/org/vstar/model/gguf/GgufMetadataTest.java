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
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.RopeScaling;
import org.vstar.model.engine.TensorSource.Tensor;
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
    assertThat(GgufTokenizer.endTokens(metadata, 11)).containsExactly(2);
  }

  @Test
  void aTokenIdOfMinusOneSaysThatThereIsNoneAndOneBeyondTheTokensIsRefused() {
    for (long none : new long[] {-1, 0xffffffffL}) {
      GgufMetadata metadata = new GgufMetadata("file", Map.of("tokenizer.ggml.eot_token_id", none));
      assertThat(GgufTokenizer.endTokens(metadata, 10)).isEmpty();
    }
    GgufMetadata beyond = new GgufMetadata("file", Map.of("tokenizer.ggml.eot_token_id", 10L));
    assertThat(GgufTokenizer.endTokens(beyond, 11)).containsExactly(10);
    assertThatThrownBy(() -> GgufTokenizer.endTokens(beyond, 10))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll("file: ", "eot_token_id", "is 10", "below 10");
  }

  private static Map<String, Object> bytePairs(String... tokens) {
    Map<String, Object> values = new HashMap<>();
    values.put("general.architecture", "llama");
    values.put("tokenizer.ggml.model", "gpt2");
    values.put("tokenizer.ggml.tokens", List.of(tokens));
    values.put("tokenizer.ggml.merges", List.of());
    values.put("tokenizer.ggml.bos_token_id", 0L);
    return values;
  }

  @Test
  void aFileOfLlama3ThatNamesNoSplitIsSplitAsLlama3AndBeginsWithItsFirstToken() {
    GgufMetadata llama3 = new GgufMetadata("file", bytePairs("<|begin_of_text|>", "a", "1", "2"));
    assertThat(new GgufTokenizer(llama3).json()).contains("{1,3}", "TemplateProcessing");
    GgufMetadata other = new GgufMetadata("file", bytePairs("<s>", "a", "1", "2"));
    assertThat(new GgufTokenizer(other).json()).doesNotContain("{1,3}", "TemplateProcessing");
  }

  @Test
  void aFactorWithoutATypeStretchesPositionsAndTheTypeNoneDoesNot() throws Exception {
    assertThat(scaling(Map.of("llama.rope.scaling.factor", 4.0))).isEqualTo(RopeScaling.linear(4));
    assertThat(scaling(Map.of("llama.rope.scale_linear", 2.0))).isEqualTo(RopeScaling.linear(2));
    assertThat(scaling(Map.of("llama.rope.scaling.factor", 0.0))).isNull();
    assertThat(scaling(Map.of("llama.rope.scaling.type", "none", "llama.rope.scaling.factor", 4.0)))
        .isNull();
  }

  private RopeScaling scaling(Map<String, Object> more) throws Exception {
    GgufFile file = withFactors(0);
    file.metadata().values().putAll(more);
    file.tensors().remove(GgufConfig.ROPE_FACTORS);
    return new GgufConfig(file).read().model().ropeScaling();
  }

  /** Row 2i + j of a head there is row i + j · headWidth / 2 here, and so is its bias. */
  @Test
  void biasesInBlocksAreBroughtIntoTheOrderOfTheirRows() throws Exception {
    int head = 32;
    GgufFile file = withBiases(head);
    float[] values = new float[2 * head];
    new GgufModel(file).read(new Tensor(Projection.QUERY.bias(0), 1, 2 * head, false), values, 0);
    for (int row = 0; row < 2 * head; row++) {
      int i = row % head % (head / 2);
      int stored = row / head * head + 2 * i + row % head / (head / 2);
      assertThat(values[row]).isEqualTo(stored * 0.5f);
    }
  }

  @Test
  void tensorsThatNoConfigCanNameAreRefusedBeforeAnythingIsWritten() throws Exception {
    GgufFile file = withBiases(32);
    file.tensors().remove("blk.0.attn_output.bias");
    GgufModel model = new GgufModel(file);
    assertThatThrownBy(() -> GgufImport.requireExpressible(file, model.description()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll("its tensors are not those of LlamaForCausalLM", "Bias");
  }

  /** A model of one layer and two heads whose only numbers are biases: of row r, r / 2. */
  private GgufFile withBiases(int head) throws Exception {
    int width = 2 * head;
    Map<String, StoredTensor> tensors = new HashMap<>();
    for (String name : List.of("attn_q", "attn_k", "attn_v", "attn_output")) {
      add(tensors, "blk.0." + name + ".weight", GgufType.F32, width, width);
      add(tensors, "blk.0." + name + ".bias", GgufType.Q8_0, width, 1);
    }
    for (String name : List.of("ffn_gate", "ffn_up", "ffn_down")) {
      add(tensors, "blk.0." + name + ".weight", GgufType.F32, width, width);
    }
    for (String name : List.of("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm")) {
      add(tensors, name + ".weight", GgufType.F32, width, 1);
    }
    add(tensors, "token_embd.weight", GgufType.F32, width, 8);
    ByteBuffer data = ByteBuffer.allocate(1 << 15).order(ByteOrder.LITTLE_ENDIAN);
    for (int row = 0; row < width; row++) {
      if (row % 32 == 0) {
        data.putShort((short) 0x3800); // the half 0.5
      }
      data.put((byte) row);
    }
    Map<String, Object> values = new HashMap<>(Map.of("general.architecture", "llama"));
    for (String key : List.of("embedding_length", "feed_forward_length", "context_length")) {
      values.put("llama." + key, (long) width);
    }
    values.put("llama.attention.head_count", 2L);
    values.put("llama.block_count", 1L);
    values.put("llama.attention.layer_norm_rms_epsilon", 1e-5);
    Path path = Files.write(folder.resolve("biases"), data.array());
    return new GgufFile(path, new GgufMetadata("file", values), tensors, 0);
  }

  private static void add(
      Map<String, StoredTensor> to, String name, GgufType type, int columns, int rows) {
    to.put(name, new StoredTensor(name, type, columns, rows, rows > 1, 0));
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
