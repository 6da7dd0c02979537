package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.vstar.common.CanonicalJson;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.SmallShop;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.objective.AStarPoRegression;
import org.vstar.model.objective.Objective;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Trajectory;

/** How a step's trajectories become updates. */
class UpdatesTest {

  private static final Map<String, String> RUN = Map.of("seed", "5");
  private static final Objective REGRESSION = new AStarPoRegression(1e-3, 0.0);
  private final Environment shop = SmallShop.environment();
  private final Policy reference = SmallShop.policy(shop, 2);

  private static float[] weights(Trainer trainer) {
    return SmallShop.weights(trainer.policy());
  }

  /** A group of rollouts of each task, compared among themselves. */
  private record GroupMean(int size) implements Objective, AdvantageEstimator {
    @Override
    public String method() {
      return "group mean";
    }

    @Override
    public AdvantageEstimator advantages(Baselines baselines) {
      return this;
    }

    @Override
    public int rolloutsPerTask() {
      return size;
    }

    @Override
    public List<Advantage> estimate(List<ScoredTrajectory> step) {
      List<Advantage> advantages = new ArrayList<>();
      for (int from = 0; from < step.size(); from += size) {
        List<Trajectory> group =
            step.subList(from, from + size).stream().map(ScoredTrajectory::trajectory).toList();
        assertThat(group).allMatch(t -> t.task().equals(group.get(0).task()));
        double mean = group.stream().mapToDouble(Trajectory::episodeReturn).average().orElse(0);
        group.forEach(t -> advantages.add(Advantage.same(t.episodeReturn() - mean)));
      }
      return advantages;
    }

    @Override
    public Loss loss(LogProbs logProbs, Advantage advantage) {
      float[] gradient = new float[logProbs.length()];
      Arrays.fill(gradient, (float) -advantage.ofTrajectory());
      return new Loss(0, advantage.ofTrajectory(), gradient);
    }

    @Override
    public CanonicalJson canonical() {
      return CanonicalJson.of("group mean", 1);
    }
  }

  @Test
  void anObjectiveChoosesItsRolloutsPerTaskAndItsAdvantagesAndTheConfigItsUpdates() {
    Trainer trainer = trainer(new GroupMean(4), new TrainConfig.Batch(16, 512, 8, 2, 3, 2), 1);
    trainer.next();
    assertThat(trainer.cursor()).isEqualTo(16);
    assertThat(trainer.checkpoint(RUN).state().optimizerSteps()).isEqualTo(6);
    assertThat(weights(trainer)).isNotEqualTo(SmallShop.weights(reference));
  }

  private Trainer trainer(Objective objective, TrainConfig.Batch batch, int draws) {
    TrainConfig config =
        new TrainConfig(
            new TrainConfig.Target("regression", "vstar", null),
            new TrainConfig.Schedule(12, 4, 4, 4, 3),
            batch,
            new TrainConfig.Selection("uniform", 1, draws),
            new TrainConfig.Limits(0.5, 1.05),
            new OptimizerConfig(3e-3, 2, 0.1, 0.9, 0.98, 1e-8, 0.01, 1),
            null);
    Map<String, TaskValue> values = new HashMap<>();
    shop.tasks(Split.TRAIN).forEach(task -> values.put(task.id(), new TaskValue(0.1, 0.1, 0)));
    return new Trainer(
        shop, reference.copy(), reference, SmallShop.CONSTRAINED, values, objective, config, 5);
  }

  @Test
  void twoMinibatchesAreTwoUpdatesEachOnHalfOfTheTasks() {
    Trainer whole = trainer(REGRESSION, new TrainConfig.Batch(16, 512, 8, 2), 1);
    Trainer halves = trainer(REGRESSION, new TrainConfig.Batch(16, 512, 8, 2, 2, 1), 1);
    StepReport one = whole.next();
    StepReport two = halves.next();
    assertThat(two.rollouts().episodeReturn()).isEqualTo(one.rollouts().episodeReturn());
    assertThat(two.update().advantage()).isCloseTo(one.update().advantage(), within(1e-12));
    assertThat(halves.checkpoint(RUN).state().optimizerSteps()).isEqualTo(2);
    assertThat(weights(halves)).isNotEqualTo(weights(whole));
  }

  @Test
  void dynamicSamplingLeavesOutGroupsOfEqualReturnsAndDrawsOthers() {
    Trainer trainer = trainer(new GroupMean(2), new TrainConfig.Batch(8, 512, 8, 2), 6);
    StepReport step = trainer.next();
    List<Trainer.Weighed> kept = trainer.trajectories();
    assertThat(trainer.cursor())
        .isGreaterThan(8)
        .isLessThanOrEqualTo(48)
        .isEqualTo(trainer.checkpoint(RUN).state().taskCursor());
    assertThat(kept).isNotEmpty().hasSizeLessThanOrEqualTo(16);
    for (int i = 0; i < kept.size(); i += 2) {
      assertThat(kept.get(i).trajectory().task()).isEqualTo(kept.get(i + 1).trajectory().task());
      assertThat(kept.get(i).advantage()).isNotZero();
    }
    assertThat(step.update().gradientNorm()).isPositive();
  }

  /** Half of the trajectories have no gradient: that they are left out changes no bit. */
  @Test
  void trajectoriesWithoutGradientAreLeftOutAndTheOthersGiveTheSameBits() {
    List<float[]> trained = new ArrayList<>();
    for (boolean tell : new boolean[] {true, false}) {
      Trainer trainer = trainer(new Halved(tell), new TrainConfig.Batch(16, 512, 8, 2), 1);
      trainer.next();
      trainer.next();
      trained.add(weights(trainer));
    }
    assertThat(trained.get(0)).isEqualTo(trained.get(1));
    assertThat(trained.get(0)).isNotEqualTo(SmallShop.weights(reference));
  }

  /**
   * Every other trajectory has advantage 0.
   *
   * @param tell whether the objective says that these have no gradient
   */
  private record Halved(boolean tell) implements Objective, AdvantageEstimator {
    @Override
    public String method() {
      return "halved";
    }

    @Override
    public AdvantageEstimator advantages(Baselines baselines) {
      return this;
    }

    @Override
    public List<Advantage> estimate(List<ScoredTrajectory> step) {
      List<Advantage> advantages = new ArrayList<>();
      step.forEach(own -> advantages.add(Advantage.same(advantages.size() % 2)));
      return advantages;
    }

    @Override
    public boolean isFlat(Advantage advantage) {
      return tell && advantage.isZero();
    }

    @Override
    public Loss loss(LogProbs logProbs, Advantage advantage) {
      float[] gradient = new float[logProbs.length()];
      Arrays.fill(gradient, (float) -advantage.ofTrajectory());
      return new Loss(0, advantage.ofTrajectory(), gradient);
    }

    @Override
    public CanonicalJson canonical() {
      return CanonicalJson.of("halved", 1);
    }
  }
}
