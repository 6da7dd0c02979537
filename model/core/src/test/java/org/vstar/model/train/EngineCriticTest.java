package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.Environment;
import org.vstar.model.SmallShop;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.objective.Aggregation;
import org.vstar.model.objective.CriticConfig;
import org.vstar.model.objective.Objective;
import org.vstar.model.objective.Raft;
import org.vstar.model.objective.ValueLoss;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;

class EngineCriticTest {

  private static final OptimizerConfig ADAM =
      new OptimizerConfig(1e-3, 0, 1, 0.9, 0.98, 1e-8, 0, 1);
  private final Environment shop = SmallShop.environment();
  private final Policy policy = SmallShop.policy(shop, 2);
  private final List<ScoredTrajectory> step =
      new Rollouts(shop, policy, SmallShop.CONSTRAINED)
          .run(SmallShop.requests(shop, 6), 6, 1).stream().map(t -> scored(t, false)).toList();

  private static ScoredTrajectory scored(Trajectory t, boolean masked) {
    return new ScoredTrajectory(t, t.logProbabilities(), t.logProbabilities(), masked);
  }

  private EngineCritic critic(double rate, int epochs) {
    ValueLoss loss = new ValueLoss(null, Aggregation.Mode.TOKEN_MEAN, 1);
    return new EngineCritic(
        policy.engine().copy(), new CriticConfig(-1, 2, rate, epochs, 0, loss), ADAM);
  }

  @Test
  void valuesOfEveryTokenLieInTheRangeAndComeNearerToTheirTargets() {
    try (EngineCritic critic = critic(3e-3, 4)) {
      double[][] old = critic.values(step);
      for (int i = 0; i < old.length; i++) {
        assertThat(old[i]).hasSize(step.get(i).trajectory().agentTokens());
        assertThat(Arrays.stream(old[i]).allMatch(v -> v > -1 && v < 2)).isTrue();
      }
      double[][] targets = new double[old.length][];
      Arrays.setAll(targets, i -> new double[old[i].length]);
      for (int i = 0; i < targets.length; i++) {
        Arrays.fill(targets[i], i % 2 == 0 ? 1 : -0.5);
      }
      double first = critic.learn(step, old, targets);
      double last = first;
      for (int round = 0; round < 8; round++) {
        last = critic.learn(step, critic.values(step), targets);
      }
      assertThat(last).isLessThan(first / 4);
    }
  }

  @Test
  void whatIsMaskedTeachesNothing() {
    List<ScoredTrajectory> masked =
        step.stream().map(own -> scored(own.trajectory(), true)).toList();
    try (EngineCritic critic = critic(1e-2, 2)) {
      double[][] old = critic.values(masked);
      double[][] targets =
          Arrays.stream(old).map(row -> new double[row.length]).toArray(double[][]::new);
      assertThat(critic.learn(masked, old, targets)).isZero();
      assertThat(critic.values(masked)).isEqualTo(old);
    }
  }

  /** Scorers may leave out what has no gradient, or not: the metrics are the same. */
  @Test
  void aTrajectoryWithoutGradientIsCountedOnceWhetherAScorerAsksForItOrNot() {
    Objective raft = new Raft(0);
    List<Advantage> none = step.stream().map(own -> Advantage.same(0)).toList();
    StepLoss left = new StepLoss(raft, step, none);
    StepLoss asked = new StepLoss(raft, step, none);
    for (int i = 0; i < step.size(); i++) {
      assertThat(asked.isZero(i)).isTrue();
      assertThat(asked.of(i, step.get(i).old())).containsOnly(0);
    }
    assertThat(asked.sumOfLogPi()).isEqualTo(left.sumOfLogPi()).isNegative();
  }
}
