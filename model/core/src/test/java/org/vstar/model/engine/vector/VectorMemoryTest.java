package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.weights.ParameterLayout;

class VectorMemoryTest {

  private static final int VOCABULARY = 1000;

  private static MemoryPlan plan(ModelConfig model, int threads, int tokens, int longest) {
    return EngineKind.of(VectorEngine.KIND)
        .trainingMemory(
            new MemoryPlan.Load(model, VOCABULARY, 0, longest, 1, 1, 0),
            new EngineOptions(threads, tokens))
        .orElseThrow();
  }

  private static long bytes(MemoryPlan plan, String part) {
    return plan.parts().stream()
        .filter(p -> p.what().equals(part))
        .mapToLong(MemoryPlan.Part::bytes)
        .sum();
  }

  /** What is planned of activations is what a pass allocates. */
  @Test
  void activationsArePlannedToTheByte() {
    ModelConfig model = SmallShop.SHAPE;
    float[] weights = new float[new ParameterLayout(model, VOCABULARY).size()];
    Transformer transformer = new Transformer(model, VOCABULARY, weights);
    Activations activations = new Activations(transformer, true);
    activations.grow(60);
    long floats = 0;
    for (float[][] buffers :
        List.of(
            activations.x,
            activations.normed1,
            activations.inverse1,
            activations.qkv,
            activations.raw,
            activations.headInverse,
            activations.attended,
            activations.rowMax,
            activations.rowInverse,
            activations.middle,
            activations.normed2,
            activations.inverse2,
            activations.gateUp,
            activations.inner)) {
      for (float[] buffer : buffers) {
        floats += buffer.length;
      }
    }
    assertThat(bytes(plan(model, 1, 60, 0), "activations")).isEqualTo(Float.BYTES * floats);
  }

  @Test
  void threadsAndTheLongestSequenceCount() {
    ModelConfig model = SmallShop.SHAPE;
    long one = bytes(plan(model, 1, 64, 0), "activations");
    assertThat(bytes(plan(model, 2, 64, 0), "activations")).isEqualTo(2 * one);
    assertThat(bytes(plan(model, 1, 64, 256), "activations")).isEqualTo(2 * one);
    assertThat(bytes(plan(model, 3, 64, 0), "gradients"))
        .as("the sum, and two of each thread where they are small")
        .isEqualTo(7 * bytes(plan(model, 1, 64, 0), "gradients") / 2);
  }

  @Test
  void whatDoesNotFitIsRefusedWithTheFigures() {
    MemoryPlan plan =
        new MemoryPlan(
            "Java heap",
            2_000_000_000L,
            List.of(
                new MemoryPlan.Part("weights", 2_100_000_000L),
                new MemoryPlan.Part("moments", 0),
                new MemoryPlan.Part("gradients", 64_000_000L)),
            "give more (--driver-memory)");
    assertThatThrownBy(() -> plan.require("lower train.threads"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "training needs up to 2.2 GB of Java heap, of which 2.0 GB are available (weights 2.1"
                + " GB, gradients 64 MB): give more (--driver-memory), or lower train.threads");
    plan(SmallShop.SHAPE, 2, 64, 0).require("lower train.threads");
  }

  @Test
  void keysAndValuesOfAllEpisodesThatArePlayedAtOnceArePlanned() {
    ModelConfig model = SmallShop.SHAPE;
    Decoder decoder =
        new Decoder(
            new Transformer(
                model, VOCABULARY, new float[new ParameterLayout(model, VOCABULARY).size()]),
            2);
    int tokens = 2 * KeyValueCache.BLOCK;
    decoder.extend(
        List.of(
            new Generator.Extension(0, new int[tokens]),
            new Generator.Extension(1, IntStream.range(1, tokens + 1).toArray())));
    long planned =
        bytes(
            EngineKind.of(VectorEngine.KIND)
                .trainingMemory(
                    new MemoryPlan.Load(model, VOCABULARY, 1, 0, 1, 1, 2L * tokens),
                    new EngineOptions(1, 64))
                .orElseThrow(),
            "keys and values");
    assertThat(Float.BYTES * (decoder.cache(0).floats() + decoder.cache(1).floats()))
        .isEqualTo(planned);
  }
}
