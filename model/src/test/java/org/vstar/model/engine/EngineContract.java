package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.vector.Initialization;
import org.vstar.model.engine.vector.VectorWeights;

/** What every engine promises: a test class of an engine extends it and says how it is opened. */
public interface EngineContract {

  /** A small model. */
  ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 64, 500, 1e-5, true);

  /** Its vocabulary. */
  int VOCABULARY = 21;

  /** The optimizer that is tried. */
  OptimizerConfig OPTIMIZER = new OptimizerConfig(1e-2, 0, 1, 0.9, 0.98, 1e-8, 0.01, 1);

  /** The engine under test. */
  EngineKind kind();

  private Engine open(EngineOptions options) {
    float[] values = new Initialization(0.3, 0.3, false).draw(SHAPE, VOCABULARY, 5);
    return kind().open(new VectorWeights(SHAPE, VOCABULARY, values), options);
  }

  private static List<Sequence> batch() {
    SplittableRandom random = new SplittableRandom(6);
    List<Sequence> batch = new ArrayList<>();
    for (int length : new int[] {9, 30, 3, 17}) {
      BitSet agent = new BitSet();
      agent.set(length / 2, length);
      batch.add(new Sequence(random.ints(length, 0, VOCABULARY).toArray(), agent, List.of()));
    }
    return batch;
  }

  /** A loss whose gradient is 1 for every token: the sum of all log-probabilities. */
  private static float[] ones(float[] logPi) {
    float[] ones = new float[logPi.length];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static double sum(float[][] logPi) {
    double sum = 0;
    for (float[] sequence : logPi) {
      for (float p : sequence) {
        sum += p;
      }
    }
    return sum;
  }

  @Test
  default void sampledAndScoredLogProbabilitiesAgreeWithinTheTolerance() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Generator generator = engine.generator(2);
        Scorer scorer = engine.scorer(0.7)) {
      int[] tokens = Arrays.copyOf(new int[] {3, 1, 4}, 23);
      float[] sampled = new float[20];
      int[] next = Arrays.copyOf(tokens, 3);
      for (int i = 0; i < sampled.length; i++) {
        Choice choice = new Choice((i * 7 % 20) / 20.0, null, 0.7, 1);
        Draw draw = generator.extend(List.of(new Extension(1, next)), List.of(choice)).get(0);
        sampled[i] = draw.logProbability();
        tokens[3 + i] = draw.token();
        next = new int[] {draw.token()};
      }
      BitSet agent = new BitSet();
      agent.set(3, tokens.length);
      float[] scored = scorer.logProbabilities(List.of(new Sequence(tokens, agent, List.of())))[0];
      for (int i = 0; i < sampled.length; i++) {
        assertThat((double) sampled[i]).isCloseTo(scored[i], within(engine.logProbTolerance()));
      }
    }
  }

  @Test
  default void resultsDoNotDependOnThreadsAndHardlyOnMicroBatches() {
    List<float[][]> scores = new ArrayList<>();
    List<Double> norms = new ArrayList<>();
    List<String> stepped = new ArrayList<>();
    double tolerance = 0;
    for (EngineOptions options :
        List.of(new EngineOptions(1, 20), new EngineOptions(3, 20), new EngineOptions(2, 1000))) {
      try (Engine engine = open(options);
          Scorer scorer = engine.scorer(1);
          Gradient gradient = engine.gradient();
          Optimizer optimizer = engine.optimizer(OPTIMIZER)) {
        scores.add(scorer.logProbabilities(batch()));
        scorer.addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
        norms.add(gradient.norm());
        optimizer.step(gradient, 1e-3);
        stepped.add(engine.fingerprint());
        tolerance = engine.logProbTolerance();
      }
    }
    for (int i = 0; i < batch().size(); i++) {
      for (int t = 0; t < scores.get(0)[i].length; t++) {
        double one = scores.get(0)[i][t];
        assertThat((double) scores.get(1)[i][t]).isCloseTo(one, within(tolerance));
        assertThat((double) scores.get(2)[i][t]).isCloseTo(one, within(tolerance));
      }
    }
    if (tolerance == 0) {
      assertThat(stepped.get(1)).isEqualTo(stepped.get(0));
    }
    assertThat(norms.get(1)).isCloseTo(norms.get(0), within(1e-4 * norms.get(0)));
    assertThat(norms.get(2)).isCloseTo(norms.get(0), within(1e-4 * norms.get(0)));
  }

  @Test
  default void aStepAlongTheGradientRaisesTheSumOfLogProbabilities() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(OPTIMIZER)) {
      String before = engine.fingerprint();
      double sum = sum(scorer.logProbabilities(batch()));
      scorer.addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
      gradient.scale(-1);
      optimizer.step(gradient, 1e-3);
      assertThat(sum(scorer.logProbabilities(batch()))).isGreaterThan(sum);
      assertThat(engine.fingerprint()).isNotEqualTo(before);
      gradient.clear();
      assertThat(gradient.norm()).isZero();
    }
  }

  @Test
  default void aCopyIsTrainedWithoutTheOriginalAndStoredStateRepeatsIt() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Engine copy = engine.copy();
        Gradient gradient = copy.gradient();
        Optimizer optimizer = copy.optimizer(OPTIMIZER)) {
      assertThat(copy.fingerprint()).isEqualTo(engine.fingerprint());
      copy.scorer(1).addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
      optimizer.step(gradient, 1e-3);
      assertThat(copy.fingerprint()).isNotEqualTo(engine.fingerprint());
      try (Engine stored = kind().open(copy.weights(), EngineOptions.ONE_THREAD);
          Optimizer restored = stored.optimizer(OPTIMIZER);
          Gradient own = stored.gradient()) {
        restored.restore(optimizer.steps(), optimizer.moments());
        stored.scorer(1).addGradient(batch(), (i, logPi) -> ones(logPi), own);
        gradient.clear();
        copy.scorer(1).addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
        restored.step(own, 1e-3);
        optimizer.step(gradient, 1e-3);
        assertThat(stored.fingerprint()).isEqualTo(copy.fingerprint());
      }
    }
  }
}
