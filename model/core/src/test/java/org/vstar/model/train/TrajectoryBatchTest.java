package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.Environment;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.ContractCases;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;

class TrajectoryBatchTest {

  private static final SamplingConfig LAST_TWO =
      new SamplingConfig(1, 1, 16, true, true, null, 2, null, false);

  private final Environment shop = SmallShop.environment();
  private final Policy policy = SmallShop.policy(shop, 3);
  private final List<Trajectory> trajectories =
      new Rollouts(shop, policy, LAST_TWO).run(SmallShop.requests(shop, 4), 4, 1);
  private final TrajectoryBatch batch = TrajectoryBatch.of(trajectories);

  @Test
  void trajectoriesOfSeveralSequencesAreScoredAsTheyWereSampledToTheLastBit() {
    assertThat(trajectories).anyMatch(t -> t.sequences().size() > 1);
    try (Scorer scorer = policy.engine().scorer(1)) {
      assertThat(batch.logProbabilities(scorer))
          .isDeepEqualTo(
              trajectories.stream().map(Trajectory::logProbabilities).toArray(float[][]::new));
    }
  }

  /** Σ over trajectories of (Σ ln π)² / 100, which no sequence knows on its own. */
  private double loss(WeightSource weights) {
    double sum = 0;
    try (Engine engine = EngineKind.of(VectorEngine.KIND).open(weights, EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      for (float[] logPi : batch.logProbabilities(scorer)) {
        sum += Math.pow(sum(logPi), 2) / 100;
      }
    }
    return sum;
  }

  private static double sum(float[] x) {
    double sum = 0;
    for (float v : x) {
      sum += v;
    }
    return sum;
  }

  @Test
  void theGradientOfALossOfWholeTrajectoriesIsItsNumericDifference() {
    Engine engine = policy.engine();
    try (Gradient gradient = engine.gradient();
        Scorer scorer = engine.scorer(1)) {
      batch.addGradient(
          scorer,
          (i, logPi) -> {
            float[] of = new float[logPi.length];
            Arrays.fill(of, (float) (sum(logPi) / 50));
            return of;
          },
          gradient);
      WeightSource weights = engine.weights();
      ContractCases.requireGradient(
          weights,
          gradient.tensors(),
          moved -> loss(WeightSource.of(engine.config(), engine.vocabulary(), moved)));
    }
  }
}
