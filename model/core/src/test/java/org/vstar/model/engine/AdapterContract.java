package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.vstar.model.engine.ContractCases.OPTIMIZER;
import static org.vstar.model.engine.ContractCases.QWEN3;
import static org.vstar.model.engine.ContractCases.SHAPE;
import static org.vstar.model.engine.ContractCases.batch;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every engine promises of adapters (LoRA). */
public interface AdapterContract {

  /** The engine under test. */
  EngineKind kind();

  /** An adapter of the projections named. */
  private static Adapter adapter(ModelConfig shape, String... targets) {
    LoraConfig lora = new LoraConfig(3, 6, List.of(targets));
    return new Adapter(lora, lora.initial(shape, 4));
  }

  private static void ascend(Engine engine, Gradient gradient, Optimizer optimizer, int steps) {
    for (int i = 0; i < steps; i++) {
      gradient.clear();
      ContractCases.addGradient(engine, gradient);
      gradient.scale(-1);
      optimizer.step(gradient, 1e-2);
    }
  }

  private static double[] scores(Engine engine) {
    try (Scorer scorer = engine.scorer(1)) {
      return Arrays.stream(scorer.logProbabilities(batch()))
          .flatMapToDouble(row -> IntStream.range(0, row.length).mapToDouble(t -> row[t]))
          .toArray();
    }
  }

  @Test
  default void anAdapterStartsAsTheModelBelowAndIsTrainedWithoutChangingIt() {
    for (ModelConfig shape : List.of(SHAPE, QWEN3)) {
      try (Engine base = kind().open(ContractCases.weights(shape), EngineOptions.ONE_THREAD);
          Engine adapted = base.adapted(adapter(shape, "q_proj", "v_proj", "o_proj", "down_proj"));
          Gradient gradient = adapted.gradient();
          Optimizer optimizer = adapted.optimizer(OPTIMIZER)) {
        String before = base.fingerprint();
        double[] start = scores(base);
        assertThat(scores(adapted)).isEqualTo(start);
        assertThat(adapted.fingerprint()).isNotEqualTo(before);
        ascend(adapted, gradient, optimizer, 3);
        assertThat(Arrays.stream(scores(adapted)).sum())
            .isGreaterThan(Arrays.stream(start).sum() + 0.1);
        assertThat(base.fingerprint()).isEqualTo(before);
        assertThat(scores(base)).isEqualTo(start);
        try (Engine merged = kind().open(adapted.weights(), EngineOptions.ONE_THREAD);
            Engine again = base.adapted(adapted.adapter().orElseThrow());
            Engine copy = adapted.copy()) {
          assertThat(again.fingerprint()).isEqualTo(adapted.fingerprint());
          assertThat(copy.fingerprint()).isEqualTo(adapted.fingerprint());
          assertThat(scores(again)).isEqualTo(scores(adapted));
          double[] trained = scores(adapted);
          double[] together = scores(merged);
          for (int i = 0; i < trained.length; i++) {
            assertThat(together[i]).isCloseTo(trained[i], within(2e-3));
          }
        }
      }
    }
  }

  @Test
  default void anAdaptersGradientMatchesNumericDifferences() {
    Adapter start = adapter(QWEN3, "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj");
    try (Engine base = kind().open(ContractCases.weights(QWEN3), EngineOptions.ONE_THREAD);
        Engine first = base.adapted(start);
        Gradient gradient = first.gradient();
        Optimizer optimizer = first.optimizer(OPTIMIZER)) {
      // Away from the start, where B is 0 and A has no gradient.
      ascend(first, gradient, optimizer, 2);
      gradient.clear();
      ContractCases.addGradient(first, gradient);
      ContractCases.requireGradient(
          first.adapter().orElseThrow().tensors(),
          gradient.tensors(),
          moved -> {
            try (Engine there = base.adapted(new Adapter(start.lora(), moved))) {
              return ContractCases.sum(there);
            }
          });
    }
  }
}
