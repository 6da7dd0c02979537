package org.vstar.model.imitation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Rollouts;

class FineTuningTest {

  private final Environment shop = SmallShop.environment();
  private final Policy policy = SmallShop.policy(shop, 3);
  private final List<Sequence> demonstrations =
      new Rollouts(shop, policy, SmallShop.CONSTRAINED)
          .run(SmallShop.requests(shop, 6), 3, 1).stream()
              .flatMap(t -> t.sequences().stream())
              .toList();

  private static OptimizerConfig optimizer(double rate) {
    return new OptimizerConfig(rate, 2, 0.1, 0.9, 0.98, 1e-8, 0, 1);
  }

  private double meanLoss() {
    double sum = 0;
    int tokens = 0;
    try (Scorer scorer = policy.engine().scorer(1)) {
      for (float[] logPi : scorer.logProbabilities(demonstrations)) {
        for (float p : logPi) {
          sum -= p;
          tokens++;
        }
      }
    }
    return sum / tokens;
  }

  @Test
  void theLossIsTheMeanOverTokensAndStepsLowerIt() {
    double before = meanLoss();
    double first;
    double last = 0;
    try (FineTuning training = new FineTuning(policy.engine(), optimizer(1e-2), 30)) {
      first = training.step(demonstrations);
      for (int i = 1; i < 30; i++) {
        last = training.step(demonstrations);
      }
    }
    assertThat(first).isCloseTo(before, offset(1e-9));
    assertThat(last).isLessThan(0.5 * first);
  }

  @Test
  void aLossThatIsNotFiniteEndsTheTrainingWithAdvice() {
    try (FineTuning training = new FineTuning(policy.engine(), optimizer(1e30), 9)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 9; i++) {
                  training.step(demonstrations);
                }
              })
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("lower warmStart.optimizer.learningRate");
    }
  }
}
