package org.vstar.model.advantage;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.vstar.common.Experimental;

/**
 * What an objective weighs trajectories by. A step's trajectories are estimated together, so that
 * an estimator can compare those of one task.
 */
@Experimental
public interface AdvantageEstimator {

  /** How many rollouts of each task a step needs; they stand side by side in the step. */
  default int rolloutsPerTask() {
    return 1;
  }

  /** What it has to tell of the last step, by name; metric sinks are given it. */
  default Map<String, Double> metrics() {
    return Map.of();
  }

  /**
   * How often steps are to take a task, relative to the others, by its id: what {@code train.tasks:
   * tracked} follows. None where the estimator does not know.
   */
  default Optional<ToDoubleFunction<String>> priorities() {
    return Optional.empty();
  }

  /**
   * What it has learned of the steps so far, to stand in a checkpoint; none if it learns nothing.
   */
  default Optional<byte[]> state() {
    return Optional.empty();
  }

  /**
   * Goes on from a {@link #state}.
   *
   * @param state of an estimator with the same settings
   */
  default void restore(byte[] state) {
    throw new IllegalStateException(getClass() + " has no state");
  }

  /** An advantage for each trajectory of a step, in order. */
  List<Advantage> estimate(List<ScoredTrajectory> step);
}
