package org.vstar.spark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceConfig;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.Safetensors;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;
import org.vstar.spark.run.JobContext;

class PolicyToolTest {

  private static final ModelConfig SHAPE = new ModelConfig(1, 32, 2, 1, 32, 16, 500, 1e-5, true);

  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @BeforeEach
  void writeModel() throws IOException {
    float[] values = new Initialization(0.3, 0.3, false).draw(SHAPE, 40, 1);
    Files.writeString(
        folder.resolve("config.json"),
        HuggingFaceConfig.of(SHAPE, 40, List.of()).json().toString());
    try (OutputStream file = Files.newOutputStream(folder.resolve("model.safetensors"))) {
      Safetensors.write(new FlatWeights(SHAPE, 40, values), file);
    }
  }

  private int run(String... arguments) {
    out.reset();
    errors.reset();
    return JobContext.run(
        new PolicyTool(new PrintStream(out, true, StandardCharsets.UTF_8)),
        new PrintStream(errors, true, StandardCharsets.UTF_8),
        arguments);
  }

  private JsonNode json(String... arguments) throws IOException {
    assertThat(run(arguments)).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("\n").hasLineCount(1);
    return Json.MAPPER.readTree(out.toByteArray());
  }

  private void assertRefused(String message, String... arguments) {
    assertThat(run(arguments)).isEqualTo(2);
    assertThat(out.size()).isZero();
    assertThat(errors.toString(StandardCharsets.UTF_8)).contains(message).hasLineCount(1);
  }

  @Test
  void aGgufFileBecomesAFolderThatIsScoredAndAnotherTokenizerMayBeTaken() throws IOException {
    Path gguf = Path.of("../../../shared/gguf/qwen2-q8_0.gguf");
    Path to = folder.resolve("imported");
    JsonNode said = json("import", "--gguf", gguf.toString(), "--out", to.toString());
    assertThat(said.path("architecture").asText()).isEqualTo("Qwen2ForCausalLM");
    assertThat(said.path("endTokens").toString()).isEqualTo("[273]");
    JsonNode scored = json("score", "--model", to.toString(), "--ids", "272,72,101");
    assertThat(scored.path("logprobs").get(0).asDouble()).isBetween(-6.4330, -6.4329);
    String half = folder.resolve("half").toString();
    String[] options = {"--tokenizer", to.toString(), "--dtype", "bfloat16", "--out", half};
    json(
        Stream.concat(Stream.of("import", "--gguf", gguf.toString()), Stream.of(options))
            .toArray(String[]::new));
    assertThat(json("info", half).path("parametersByType").has("bfloat16")).isTrue();
    assertThat(json("encode", "--tokenizer", half, "--text", "the").path("ids")).hasSize(1);
    assertRefused("is there already", "import", "--gguf", gguf.toString(), "--out", to.toString());
    assertRefused("does not exist", "import", "--gguf", "no.gguf", "--out", folder + "/no");
  }

  @Test
  void infoTellsTheShapeAndHowMuchThereIs() throws IOException {
    JsonNode info = json("info", folder.toString());
    assertThat(info.path("architecture").asText()).isEqualTo("Qwen2ForCausalLM");
    assertThat(info.path("vocabulary").asInt()).isEqualTo(40);
    assertThat(info.path("shape").path("width").asInt()).isEqualTo(32);
    int expected = 40 * 32 + 3 * 32 + (32 + 1) * 64 + 32 * 32 + 3 * 32 * 32;
    assertThat(info.path("parameters").asInt()).isEqualTo(expected);
    assertThat(info.has("fingerprint")).isFalse();
  }

  @Test
  void greedyTokensAreThoseOfHighestScore() throws IOException {
    JsonNode generated =
        json("generate", "--model", folder.toString(), "--ids", "5,9", "--tokens", "1");
    int likeliest = generated.path("ids").path(0).asInt();
    double best = Double.NEGATIVE_INFINITY;
    double sum = 0;
    int argmax = -1;
    for (int token = 0; token < 40; token++) {
      JsonNode scored = json("score", "--model", folder.toString(), "--ids", "5,9," + token);
      assertThat(scored.path("ids").toString()).isEqualTo("[5,9," + token + "]");
      assertThat(scored.path("logprobs")).hasSize(2);
      double last = scored.path("logprobs").path(1).asDouble();
      sum += Math.exp(last);
      argmax = last > best ? token : argmax;
      best = Math.max(best, last);
    }
    assertThat(likeliest).isEqualTo(argmax);
    assertThat(sum).isCloseTo(1, org.assertj.core.data.Offset.offset(1e-5));
    assertThat(json("score", "--model", folder.toString(), "--ids", "3").path("logprobs"))
        .isEmpty();
  }

  @Test
  void infoTellsAPolicysFingerprintThatItsCardNames() throws IOException {
    Path policy = Path.of("../../datasets/policies/webshop-1k");
    String fingerprint = json("info", policy.toString()).path("fingerprint").asText();
    assertThat(fingerprint).hasSize(16);
    assertThat(Files.readString(policy.resolve("README.md"))).contains("`" + fingerprint + "`");
  }

  /** As peft's {@code merge_and_unload}: W + alpha / r · B·A. */
  @Test
  void exportMergesAnAdapterAndKeepsTheOtherFiles() throws IOException {
    LoraConfig lora = new LoraConfig(2, 6, List.of("k_proj"));
    Path adapter = Files.createDirectories(folder.resolve("adapter"));
    Files.writeString(
        adapter.resolve("adapter_config.json"),
        "{\"peft_type\":\"LORA\",\"r\":2,\"lora_alpha\":6,\"target_modules\":[\"k_proj\"]}");
    try (OutputStream file = Files.newOutputStream(adapter.resolve("adapter_model.safetensors"))) {
      Safetensors.write(new Ones(lora), file);
    }
    Files.writeString(folder.resolve("tokenizer.json"), "{}");
    String to = folder.resolve("merged").toString();
    String model = folder.toString();
    json("export", "--model", model, "--adapter", adapter.toString(), "--out", to);
    assertThat(Path.of(to, "tokenizer.json")).hasContent("{}");
    HuggingFaceModel before = HuggingFaceModel.open(folder);
    HuggingFaceModel merged = HuggingFaceModel.open(Path.of(to));
    for (Tensor tensor : before.tensors()) {
      float[] was = new float[tensor.size()];
      float[] is = new float[tensor.size()];
      before.read(tensor, was, 0);
      merged.read(tensor, is, 0);
      for (int i = 0; i < was.length; i++) {
        was[i] += tensor.name().endsWith("k_proj.weight") ? 6 : 0;
      }
      assertThat(is).isEqualTo(was);
    }
    assertRefused(
        "is there already",
        "export",
        "--model",
        model,
        "--adapter",
        adapter.toString(),
        "--out",
        to);
    assertRefused(
        "no adapter in", "export", "--model", model, "--adapter", model, "--out", to + "2");
  }

  /** An adapter of ones. */
  private record Ones(LoraConfig lora) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return lora.tensors(SHAPE).stream()
          .map(tensor -> tensor.named("base_model.model." + tensor.name()))
          .toList();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      Arrays.fill(into, offset, offset + tensor.size(), 1);
    }
  }

  @Test
  void whatCannotBeDoneIsOneLine() {
    String model = folder.toString();
    assertRefused(
        "--ids has 40, the model knows 0 to 39", "score", "--model", model, "--ids", "40");
    assertRefused("'x' is not an int", "score", "--model", model, "--ids", "x");
    assertRefused("context of 16", "generate", "--model", model, "--ids", "1", "--tokens", "16");
    assertRefused("--tokens", "generate", "--model", model, "--ids", "1", "--tokens", "0");
    assertRefused("expected one of", "score", "--model", model, "--ids", "1", "--engine", "no");
    assertRefused("config.json is missing", "info", model + "/nowhere");
    assertRefused("submit/policy score --help", "score");
    assertRefused("expected a command");
  }
}
