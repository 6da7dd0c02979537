package org.vstar.env;

import org.vstar.common.Experimental;

/** One attempt at a task. Not thread-safe; costs nothing to drop. */
@Experimental
public interface Episode {

  /** What the agent sees now: the prompt at first, then the answer to its last action. */
  String observation();

  /**
   * What tells the present state from others of the same task: methods that compare turns of
   * several rollouts compare those whose keys are equal.
   */
  default String stateKey() {
    return observation();
  }

  /**
   * Takes one action. What is not a legal action spends the turn, changes nothing, and says so in
   * the next observation.
   *
   * @throws IllegalStateException if the episode is over
   */
  Outcome step(String action);
}
