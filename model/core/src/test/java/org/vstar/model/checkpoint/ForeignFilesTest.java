package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.engine.vector.VectorEngine;

/** Files as other programs write them: what they mean there they mean here, or they are refused. */
class ForeignFilesTest {

  private static final Path CASES = Path.of("../../../shared/cases");

  @TempDir private Path folder;

  private static Path of(String name) {
    assumeTrue(Files.isDirectory(CASES), "no cases to try");
    return CASES.resolve(name);
  }

  /** ln π of all ids but the first. */
  private static double[] score(Path model, int... ids) {
    try (Engine engine =
            EngineKind.of(VectorEngine.KIND)
                .open(HuggingFaceModel.open(model), EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      java.util.BitSet scored = new java.util.BitSet();
      scored.set(1, ids.length);
      float[] found = scorer.logProbabilities(List.of(new Sequence(ids, scored, List.of())))[0];
      double[] wide = new double[found.length];
      for (int i = 0; i < wide.length; i++) {
        wide[i] = found[i];
      }
      return wide;
    }
  }

  @Test
  void weightsInOneFileGoBeforeAnIndexThatIsLeftOver() throws IOException {
    Path stale = of("stale-index");
    double[] expected = {-8.568697, -9.589522, -12.297607};
    double[] scored = score(stale, 5, 9, 3, 17);
    for (int i = 0; i < expected.length; i++) {
      assertThat(scored[i]).isCloseTo(expected[i], within(1e-4));
    }
    assertThat(HuggingFaceModel.files(stale))
        .containsExactlyInAnyOrder("config.json", "model.safetensors");
  }

  @ParameterizedTest
  @ValueSource(strings = {"config-smollm", "config-max-sequence-length", "config-partial-rotary"})
  void whatOthersWriteBesideTheShapeChangesNothing(String name) {
    assertThat(HuggingFaceModel.open(of(name)).config().width()).isEqualTo(64);
  }

  private static void read(Consumer<ObjectNode> change) {
    ObjectNode config =
        HuggingFaceConfig.of(new ModelConfig(1, 8, 2, 1, 8, 64, 500, 1e-5, false), 40, List.of(2))
            .json();
    change.accept(config);
    HuggingFaceConfig.of("config.json", config);
  }

  @Test
  void fieldsThatAreNotKnownAreRefusedOnlyIfTheySaySomething() {
    assertThatCode(
            () ->
                read(
                    c -> {
                      c.put("_model_name_or_path", "x.gguf").put("_experiment", 3);
                      c.put("use_new_thing", false).putNull("new_scale");
                      c.putArray("new_layers");
                      c.putObject("new_options");
                      c.put("new_name", "").put("rope_interleaved", false);
                    }))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> read(c -> c.put("logit_scale", 0.5)))
        .hasMessageContaining("'logit_scale' (0.5) is not known");
    assertThatThrownBy(() -> read(c -> c.put("use_new_thing", true)))
        .hasMessageContaining("use_new_thing");
    assertThatThrownBy(() -> read(c -> c.put("rope_interleaved", true)))
        .hasMessageContaining("'rope_interleaved' is true, expected false");
  }

  @Test
  void aMessageNamesTheFieldThatTheFileHas() {
    for (String field : List.of("rope_parameters", "rope_scaling")) {
      assertThatThrownBy(
              () ->
                  read(
                      c -> {
                        c.remove("rope_scaling");
                        c.putObject(field).put("rope_type", "default").put("attn_factor", 2.0);
                      }))
          .hasMessageContaining("'" + field + ".attn_factor'");
      assertThatThrownBy(
              () ->
                  read(
                      c -> {
                        c.remove("rope_scaling");
                        c.putObject(field).put("partial_rotary_factor", 0.5);
                      }))
          .hasMessageContaining("'" + field + ".partial_rotary_factor' is 0.5");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "\u0000", "a\u0000b", "..", ".", "", "a/b", "/etc/passwd", "..\\\\x", "a\nb"})
  void anIndexThatNamesWhatIsNoFileIsRefusedInOneLine(String shard) throws IOException {
    ObjectNode index = Json.MAPPER.createObjectNode();
    index.putObject("weight_map").put("model.norm.weight", shard);
    Files.writeString(folder.resolve("model.safetensors.index.json"), index.toString());
    Files.copy(of("index-slash").resolve("config.json"), folder.resolve("config.json"));
    assertThatThrownBy(() -> HuggingFaceModel.open(folder))
        .isInstanceOf(InvalidInputException.class)
        .message()
        .contains("model.norm.weight")
        .endsWith("expected a file's name")
        .matches("[^\\p{Cntrl}]*");
  }

  @Test
  void theCasesOfIndexesThatNameNoFile() {
    for (String name : List.of("index-slash", "index-nul")) {
      Path folder = of(name);
      assertThatThrownBy(() -> HuggingFaceModel.open(folder))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("expected a file's name");
    }
  }

  private Path adapter(String start) throws IOException {
    ObjectNode config =
        (ObjectNode)
            Json.MAPPER.readTree(of("pissa-adapter").resolve("adapter_config.json").toFile());
    config.set("init_lora_weights", Json.MAPPER.readTree(start));
    Path own = Files.createDirectories(folder.resolve(Integer.toHexString(start.hashCode())));
    Files.writeString(own.resolve("adapter_config.json"), config.toString());
    Files.copy(
        of("pissa-adapter").resolve("adapter_model.safetensors"),
        own.resolve("adapter_model.safetensors"));
    return own;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"pissa\"",
        "\"pissa_niter_4\"",
        "\"olora\"",
        "\"corda\"",
        "\"loftq\"",
        "\"lora_ga\""
      })
  void anAdapterOfWeightsThatPeftChangedAtTheStartIsRefused(String start) throws IOException {
    Path own = adapter(start);
    assertThatThrownBy(() -> PeftAdapter.read(own))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'init_lora_weights' is " + start)
        .hasMessageContaining("path_initial_model_for_weight_conversion");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false", "null", "\"gaussian\"", "\"eva\"", "\"orthogonal\""})
  void anAdapterOfTheWeightsAsTheyAreIsRead(String start) throws IOException {
    assertThat(PeftAdapter.read(adapter(start)).lora().rank()).isEqualTo(4);
  }

  /** PEFT's A of rank 1 has two sides. */
  @Test
  void aMatrixOfOneRowHasTwoSidesWhereverItIsWrittenAndRead() throws IOException {
    LoraConfig lora = PeftAdapter.read(of("rank1-lora")).lora();
    assertThat(lora.rank()).isEqualTo(1);
    ModelConfig shape = new ModelConfig(1, 64, 2, 2, 64, 64, 500, 1e-5, false);
    Path file = folder.resolve("a.safetensors");
    try (var out = Files.newOutputStream(file)) {
      Safetensors.write(lora.initial(shape, 1), out);
    }
    assertThat(Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1))
        .contains("\"shape\":[1,64]")
        .contains("\"shape\":[64,1]");
    assertThat(Safetensors.open(file).tensors()).isEqualTo(lora.tensors(shape));
    assertThat(ModelTensors.of(shape, 40).stream().filter(t -> t.name().endsWith("norm.weight")))
        .isNotEmpty()
        .noneMatch(Tensor::isMatrix);
  }

  @Test
  void theEndTokensOfAllFilesCount() {
    assertThat(HuggingFaceModel.endTokens(of("eos-list"))).containsExactly(2, 396);
    assertThat(HuggingFaceModel.endTokens(of("eos-generation-config"))).containsExactly(2, 396);
    assertThat(HuggingFaceModel.endTokens(of("stale-index"))).contains(2);
    assertThat(HuggingFaceModel.endTokens(folder)).isEmpty();
  }

  @Test
  void aTokenizerThatIsNotPackedGoesBeforeOneThatIs() throws IOException {
    Path from = of("metaspace-first").resolve("tokenizer.json");
    Files.copy(from, folder.resolve("tokenizer.json"));
    try (var packed =
        new GZIPOutputStream(Files.newOutputStream(folder.resolve("tokenizer.json.gz")))) {
      packed.write(Files.readAllBytes(of("added-word").resolve("tokenizer.json")));
    }
    assertThat(TokenizerFiles.tokenizer(folder).json()).isEqualTo(Files.readString(from));
    Files.delete(folder.resolve("tokenizer.json"));
    assertThat(TokenizerFiles.tokenizer(folder).has("waterproof")).isTrue();
  }
}
