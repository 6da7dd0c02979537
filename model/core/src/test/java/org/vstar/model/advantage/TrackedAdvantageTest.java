package org.vstar.model.advantage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.engine.Sequence;
import org.vstar.model.rollout.StopReason;
import org.vstar.model.rollout.Trajectory;

/** SPO's tracker, against its equations worked out by hand. */
class TrackedAdvantageTest {

  private static final ValueTracker PUBLISHED = new ValueTracker(true, 0.06, 0.875, 0.96);

  /** What the policy says of every token now. */
  private float now = -1;

  private final List<List<List<Sequence>>> asked = new ArrayList<>();

  private TrackedAdvantage estimator(ValueTracker tracker) {
    return new TrackedAdvantage(
        tracker,
        new Baselines(
            Map.of(),
            Map.of("a", 0.25, "b", 1.0),
            Optional.empty(),
            trajectories -> {
              asked.add(trajectories);
              float[][] scored = new float[trajectories.size()][2];
              for (float[] each : scored) {
                java.util.Arrays.fill(each, now);
              }
              return scored;
            }));
  }

  private static ScoredTrajectory played(String task, double episodeReturn, float old) {
    BitSet agent = new BitSet();
    agent.set(1, 3);
    BitSet allowed = BitSet.valueOf(new long[] {6});
    Sequence sequence = new Sequence(new int[] {5, 1, 2, 4}, agent, List.of(allowed, allowed));
    float[] logProbabilities = {old, old};
    Trajectory trajectory =
        new Trajectory(
            new Task(task, "shop", Split.TRAIN, "", "", task),
            0,
            1,
            List.of(),
            List.of(sequence),
            new int[] {2},
            List.of(),
            logProbabilities,
            episodeReturn,
            episodeReturn == 1,
            StopReason.DONE,
            1,
            0);
    return new ScoredTrajectory(trajectory, logProbabilities, logProbabilities, false);
  }

  private static double value(TrackedAdvantage estimator, String task) {
    double priority = estimator.priorities().orElseThrow().applyAsDouble(task) - 0.05;
    // p² = v(1 − v); the values here are below a half.
    return (1 - Math.sqrt(1 - 4 * priority * priority)) / 2;
  }

  @Test
  void aTaskBeginsAtTheReferencesMeanAndForgetsByHowFarThePolicyHasMoved() {
    TrackedAdvantage estimator = estimator(PUBLISHED);
    double first = (8 * 0.25 + 0.5) / 9;
    assertThat(value(estimator, "a")).isCloseTo(first, within(1e-12));

    estimator.estimate(List.of(played("a", 0, -1)));
    assertThat(asked).isEmpty();
    // Never taken before: D = 0, so the least is forgotten.
    double second = 0.96 * 8 * first / (0.96 * 8 + 1);
    assertThat(value(estimator, "a")).isCloseTo(second, within(1e-12));

    now = -1.006f;
    estimator.estimate(List.of(played("a", 0, -1.006f)));
    double weight = 0.96 * 8 + 1;
    double rho = Math.pow(2, -((double) 1.006f - 1) / 0.06);
    double third = rho * weight * second / (rho * weight + 1);
    assertThat(value(estimator, "a")).isCloseTo(third, within(1e-9));
    assertThat(estimator.metrics().get("retention")).isCloseTo(rho, within(1e-9));
    assertThat(estimator.metrics().get("value")).isCloseTo(second, within(1e-12));

    now = -9;
    estimator.estimate(List.of(played("a", 0, -9)));
    assertThat(estimator.metrics()).containsEntry("retention", 0.875);
  }

  @Test
  void advantagesAreReturnsLessTheValuesBeforeThemBroughtToMeanZeroAndDeviationOne() {
    TrackedAdvantage estimator = estimator(PUBLISHED);
    double a = (8 * 0.25 + 0.5) / 9;
    double b = 8.5 / 9;
    double twice = a + (1 - a) / (0.96 * 8 + 1);
    double[] raw = {1 - a, 0 - b, 1 - twice};
    double mean = (raw[0] + raw[1] + raw[2]) / 3;
    double squares = 0;
    for (double x : raw) {
      squares += (x - mean) * (x - mean);
    }
    List<Advantage> advantages =
        estimator.estimate(List.of(played("a", 1, -1), played("b", 0, -1), played("a", 1, -1)));
    for (int i = 0; i < raw.length; i++) {
      assertThat(advantages.get(i).ofTrajectory())
          .isCloseTo((raw[i] - mean) / Math.sqrt(squares / 2), within(1e-6));
    }
    assertThat(estimator.estimate(List.of(played("a", 1, -1))).get(0).isZero()).isTrue();
  }

  @Test
  void withoutAPriorATaskBeginsAtAHalf() {
    TrackedAdvantage estimator = estimator(new ValueTracker(false, 0.06, 0.875, 0.96));
    assertThat(estimator.priorities().orElseThrow().applyAsDouble("c")).isEqualTo(0.55);
    estimator.estimate(List.of(played("c", 0, -1)));
    assertThat(value(estimator, "c")).isCloseTo(0.96 * 0.5 / 1.96, within(1e-12));
  }

  @Test
  void whatIsKnownStandsInItsState() {
    TrackedAdvantage whole = estimator(PUBLISHED);
    whole.estimate(List.of(played("a", 1, -1), played("b", 0, -2)));
    TrackedAdvantage restored = estimator(PUBLISHED);
    restored.restore(whole.state().orElseThrow());
    now = -1.01f;
    List<ScoredTrajectory> next = List.of(played("b", 1, -1.01f), played("a", 1, -1.01f));
    assertThat(restored.estimate(next)).isEqualTo(whole.estimate(next));
    assertThat(restored.metrics()).isEqualTo(whole.metrics());
    assertThat(restored.state().orElseThrow()).isEqualTo(whole.state().orElseThrow());
    assertThat(asked).hasSize(2);
    for (List<List<Sequence>> each : asked) {
      Sequence own = each.get(0).get(0);
      assertThat(own.tokens()).containsExactly(5, 1, 2, 4);
      assertThat(own.agent().stream().toArray()).containsExactly(1, 2);
      assertThat(own.allowed())
          .hasSize(2)
          .allMatch(set -> set.equals(BitSet.valueOf(new long[] {6})));
    }
  }
}
