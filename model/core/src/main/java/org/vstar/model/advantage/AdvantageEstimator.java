package org.vstar.model.advantage;

import java.util.List;
import java.util.Map;
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

  /** An advantage for each trajectory of a step, in order. */
  List<Advantage> estimate(List<ScoredTrajectory> step);
}
