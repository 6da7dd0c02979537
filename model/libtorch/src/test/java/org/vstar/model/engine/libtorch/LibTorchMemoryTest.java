package org.vstar.model.engine.libtorch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;

class LibTorchMemoryTest {

  private static final EngineOptions EXACT = new EngineOptions(2, 1024);

  /** TinyLlama's shape, with one token more: no width of 16 divides its vocabulary. */
  private static final ModelConfig ONE =
      new ModelConfig(22, 2048, 32, 4, 5632, 2048, 1e4, 1e-5, false);

  private static long bytes(MemoryPlan plan, String part) {
    return plan.parts().stream()
        .filter(p -> p.what().equals(part))
        .mapToLong(MemoryPlan.Part::bytes)
        .sum();
  }

  @Test
  void aModelLargerThanAJavaArrayIsPlanned() {
    ModelConfig three = new ModelConfig(28, 3072, 24, 8, 8192, 8192, 5e5, 1e-5, false);
    MemoryPlan.Load load = new MemoryPlan.Load(three, 128_256, 24_000_000, 0, 1, 1, 0);
    assertThat(load.weights()).isEqualTo(3_212_749_824L);
    assertThat(bytes(LibTorchMemory.plan(load, EXACT), "weights"))
        .isEqualTo(4 * (3_212_749_824L + 24_000_000));
  }

  @Test
  void trainingAllWeightsHasAGradientOfTheHeadInEachThread() {
    MemoryPlan.Load all = new MemoryPlan.Load(ONE, 32_001, 0, 0, 1, 1, 0);
    assertThat(bytes(LibTorchMemory.plan(all, EXACT), "gradients"))
        .isEqualTo(3 * 4 * all.weights() + 2L * 4 * 32_001 * 2048);
  }

  @Test
  void sixteenBitsAreHeldBesideTheFloat32OfTheFile() {
    MemoryPlan.Load adapter = new MemoryPlan.Load(ONE, 32_000, 1_000_000, 0, 1, 1, 0);
    EngineOptions half = EXACT.on(EngineOptions.CPU, DType.BFLOAT16);
    assertThat(bytes(LibTorchMemory.plan(adapter, half), "weights"))
        .isEqualTo(6 * (adapter.weights() + 1_000_000));
  }

  @Test
  void keysAndValuesOfEpisodesCount() {
    MemoryPlan.Load none = new MemoryPlan.Load(ONE, 32_000, 0, 0, 1, 1, 0);
    MemoryPlan.Load some = new MemoryPlan.Load(ONE, 32_000, 0, 0, 1, 1, 1000);
    assertThat(bytes(LibTorchMemory.plan(none, EXACT), "keys and values")).isZero();
    assertThat(bytes(LibTorchMemory.plan(some, EXACT), "keys and values"))
        .isEqualTo(1000L * 22 * 2 * 4 * 256 * 3 / 2);
  }
}
