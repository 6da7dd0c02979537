package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * What every engine has to give for Hugging Face checkpoints whose log-probabilities, gradients and
 * greedy continuations PyTorch has computed. {@code -Dcheckpoints=DIR} names a folder of them: each
 * has {@code expected.json} beside the model.
 */
public interface CheckpointContract {

  /** The engine under test. */
  EngineKind kind();

  /** How it is opened. */
  default EngineOptions options() {
    return new EngineOptions(2, 128);
  }

  /** The checkpoints, or none where the folder is not there. */
  static List<Path> checkpoints() throws IOException {
    String named = System.getProperty("checkpoints");
    Path folder = Path.of(named == null ? "../../shared/checkpoints" : named);
    // A test runs in its module's folder, which may be one deeper than another's.
    while (named == null && !Files.isDirectory(folder) && folder.getNameCount() < 6) {
      folder = Path.of("..").resolve(folder);
    }
    assumeTrue(named != null || Files.isDirectory(folder), "no checkpoints to compare with");
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(f -> Files.exists(f.resolve("expected.json"))).sorted().toList();
    }
  }

  @TestFactory
  default Stream<DynamicTest> aCheckpointGivesWhatPyTorchGives() throws IOException {
    List<Path> checkpoints = checkpoints();
    assertThat(checkpoints).isNotEmpty();
    return checkpoints.stream()
        .map(folder -> dynamicTest(folder.getFileName().toString(), () -> compare(folder)));
  }

  /** Compares one of them. */
  default void compare(Path folder) throws IOException {
    JsonNode expected = Json.MAPPER.readTree(folder.resolve("expected.json").toFile());
    HuggingFaceModel model = HuggingFaceModel.open(folder);
    double tolerance = model.description().type() == DType.FLOAT32 ? 1e-4 : 2e-3;
    try (Engine engine = kind().open(model, options());
        Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient()) {
      List<JsonNode> cases = new ArrayList<>();
      expected.path("cases").forEach(cases::add);
      assertThat(cases).isNotEmpty();
      for (JsonNode one : cases) {
        if (one.has("logprobs")) {
          gradient.clear();
          compareGradient(one, scorer, gradient, tolerance);
        }
        if (one.has("greedy")) {
          int[] greedy = greedy(engine, ids(one.path("prompt")), one.path("greedy").size());
          assertThat(greedy).isEqualTo(ids(one.path("greedy")));
        }
      }
    }
  }

  private static void compareGradient(
      JsonNode expected, Scorer scorer, Gradient gradient, double tolerance) {
    int[] ids = ids(expected.path("ids"));
    BitSet agent = new BitSet();
    agent.set(1, ids.length);
    List<Sequence> batch = List.of(new Sequence(ids, agent, List.of()));
    float[] each = new float[ids.length - 1];
    Arrays.fill(each, -1f / each.length);
    float[][] logPi = new float[1][];
    scorer.addGradient(
        batch,
        (sequence, own) -> {
          logPi[sequence] = own;
          return each;
        },
        gradient);
    for (int i = 0; i < each.length; i++) {
      double p = expected.path("logprobs").path(i).asDouble();
      assertThat((double) logPi[0][i]).as("token %d", i).isCloseTo(p, near(p, tolerance));
    }
    assertThat(scorer.logProbabilities(batch)[0]).hasSameSizeAs(each);
    TensorSource gradients = gradient.tensors();
    JsonNode norms = expected.path("grad_norms");
    assertThat(gradients.tensors()).hasSize(norms.size());
    double largest = 0;
    for (JsonNode norm : norms) {
      largest = Math.max(largest, norm.asDouble());
    }
    for (Tensor tensor : gradients.tensors()) {
      double norm = norms.path(tensor.name()).asDouble(Double.NaN);
      // Where the true gradient is 0, what rounding leaves is small beside the other tensors'.
      double size = Math.max(norm, 1e-2 * largest);
      assertThat(norm(gradients, tensor)).as(tensor.name()).isCloseTo(norm, near(size, tolerance));
    }
  }

  private static Offset<Double> near(double value, double tolerance) {
    return within(tolerance * Math.abs(value));
  }

  private static double norm(TensorSource gradients, Tensor tensor) {
    float[] values = new float[tensor.size()];
    gradients.read(tensor, values, 0);
    double squares = 0;
    for (float value : values) {
      squares += (double) value * value;
    }
    return Math.sqrt(squares);
  }

  /**
   * The likeliest continuation, through the cache.
   *
   * @param count of how many tokens
   */
  static int[] greedy(Engine engine, int[] prompt, int count) {
    try (Generator generator = engine.generator(1)) {
      int[] tokens = new int[count];
      int[] next = prompt;
      for (int i = 0; i < count; i++) {
        Choice choice = new Choice(0, null, 0, 1);
        tokens[i] =
            generator.extend(List.of(new Extension(0, next)), List.of(choice)).get(0).token();
        next = new int[] {tokens[i]};
      }
      return tokens;
    }
  }

  /** A list of whole numbers. */
  static int[] ids(JsonNode array) {
    int[] ids = new int[array.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = array.path(i).asInt();
    }
    return ids;
  }
}
