package org.vstar.model.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.tokenizer.Tokenizer;

class GgufImportTest {

  /** Files written by the package gguf and read by transformers, with what those made of them. */
  private static final Path FILES = Path.of("../../../shared/gguf");

  @TempDir private Path temporary;

  private HuggingFaceModel imported(String name) {
    Path to = temporary.resolve(name);
    GgufImport.write(FILES.resolve(name + ".gguf"), Optional.empty(), DType.FLOAT32, to);
    return HuggingFaceModel.open(to);
  }

  private static JsonNode expected(String name) throws IOException {
    return Json.MAPPER.readTree(Files.readAllBytes(FILES.resolve(name + ".json")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"llama-q4_1", "llama-q4_k", "qwen2-q8_0"})
  void tensorsAreThoseThatTransformersReads(String name) throws IOException {
    HuggingFaceModel model = imported(name);
    JsonNode expected = expected(name).get("tensors");
    for (Tensor tensor : model.tensors()) {
      JsonNode found = expected.get(tensor.name());
      float[] values = new float[tensor.size()];
      model.read(tensor, values, 0);
      double sum = 0;
      for (float value : values) {
        sum += value;
      }
      for (int i = 0; i < 4; i++) {
        assertThat(values[i]).isEqualTo((float) found.get("first").get(i).asDouble());
      }
      assertThat(sum).as(tensor.name()).isCloseTo(found.get("sum").asDouble(), within(2e-2));
    }
    assertThat(model.tensors()).hasSize(expected.size() - (expected.has("lm_head.weight") ? 1 : 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"llama-q4_1", "llama-q4_k", "qwen2-q8_0"})
  void probabilitiesAndEndTokensAreThoseOfTransformers(String name) throws IOException {
    JsonNode expected = expected(name);
    int[] ids = Json.MAPPER.convertValue(expected.get("ids"), int[].class);
    HuggingFaceModel model = imported(name);
    try (Engine engine = EngineKind.of("vector").open(model, EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      BitSet agent = new BitSet();
      agent.set(1, ids.length);
      float[] found = scorer.logProbabilities(List.of(new Sequence(ids, agent, List.of())))[0];
      for (int i = 0; i < found.length; i++) {
        assertThat((double) found[i])
            .isCloseTo(expected.get("logprobs").get(i).asDouble(), within(1e-4));
      }
      assertThat(found).hasSize(ids.length - 1);
    }
    assertThat(model.description().endTokens())
        .isEqualTo(Arrays.asList(Json.MAPPER.convertValue(expected.get("eos"), Integer[].class)));
  }

  @Test
  void theFilesTokenizerAndTemplateAreThere() {
    imported("llama-q4_1");
    Path folder = temporary.resolve("llama-q4_1");
    Tokenizer tokenizer = TokenizerFiles.tokenizer(folder);
    int[] ids = tokenizer.encode("<|im_start|>the hand");
    assertThat(ids[0]).isEqualTo(tokenizer.id("<|im_start|>"));
    assertThat(ids[1]).isEqualTo(tokenizer.id("the"));
    assertThat(tokenizer.decode(ids)).isEqualTo("<|im_start|>the hand");
    assertThat(TokenizerFiles.config(folder)).contains("add_generation_prompt", "<|im_end|>");
  }

  private void assertRefused(byte[] content, String... parts) throws IOException {
    Path file = Files.write(temporary.resolve("changed.gguf"), content);
    Path to = temporary.resolve("out");
    assertThatThrownBy(() -> GgufImport.write(file, Optional.empty(), DType.FLOAT32, to))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll(parts)
        .message()
        .doesNotContain("\n");
    assertThat(to).doesNotExist();
  }

  @Test
  void damagedAndForeignFilesAreRefusedInOneLine() throws IOException {
    byte[] whole = Files.readAllBytes(FILES.resolve("llama-q4_1.gguf"));
    ByteBuffer changed = ByteBuffer.wrap(whole.clone()).order(ByteOrder.LITTLE_ENDIAN);
    assertRefused(new byte[0], "is not a GGUF file");
    assertRefused("PK, not a model".getBytes(), "is not a GGUF file");
    assertRefused(Arrays.copyOf(whole, 6), "cut short");
    assertRefused(Arrays.copyOf(whole, 5000), "cut short");
    assertRefused(Arrays.copyOf(whole, whole.length - 64), "blk.1.", "cut short");
    assertRefused(changed.putInt(4, 1).array(), "version 1", "expected version 2 or 3");
    assertRefused(changed.putInt(4, 3 << 24).array(), "the other byte order");
    changed.putInt(4, 3).putLong(8, 1L << 60);
    assertRefused(changed.array(), "1152921504606846976 tensors", "damaged");
    assertRefused(replaced(whole, "llama.block_count", "llama.block_coun_"), "block_count");
    assertRefused(
        replaced(whole, "blk.1.ffn_up.weight", "blk.1.ffn_up.wait__"), "blk.1.ffn_up.wait__");
    assertRefused(replaced(whole, "gpt2", "bert"), "tokenizer.ggml.model", "gpt2 or llama");
    assertRefused(replaced(whole, "default", "unheard"), "tokenizer.ggml.pre", "--tokenizer DIR");
  }

  /** Texts of the same length. */
  private static byte[] replaced(byte[] whole, String from, String to) {
    byte[] old = from.getBytes();
    byte[] changed = whole.clone();
    for (int i = 0; i + old.length <= whole.length; i++) {
      if (Arrays.equals(whole, i, i + old.length, old, 0, old.length)) {
        System.arraycopy(to.getBytes(), 0, changed, i, old.length);
        return changed;
      }
    }
    throw new AssertionError("no " + from);
  }
}
