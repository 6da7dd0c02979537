package org.vstar.model.advantage;

import java.util.List;

/** What states are worth to the policy, learned beside it. */
public interface Critic {

  /** V of the state in which each of the agent's tokens was written, by trajectory. */
  double[][] values(List<ScoredTrajectory> step);

  /**
   * Brings the values nearer to their targets. What is masked teaches nothing.
   *
   * @param old what {@link #values} gave
   * @param targets of the same shape
   * @return the loss before the first update; NaN if an update was left out, because it was not
   *     finite
   */
  double learn(List<ScoredTrajectory> step, double[][] old, double[][] targets);
}
