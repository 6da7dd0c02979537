package org.vstar.env;

import java.io.Serializable;
import java.util.Map;

/**
 * What an action led to.
 *
 * @param reward reward of this turn
 * @param done whether the environment ended the episode; the turn limit is the loop's to keep
 * @param success whether the task was accomplished (the environment's own yes or no)
 * @param valid whether the action was legal
 * @param event what happened, in one of the environment's fixed words; reports sort failures by it
 * @param goalSeen whether it brought what the task is after into view; reports tell episodes that
 *     had it in view from those that never had
 * @param parts what the reward is made of, by name and in order; empty where it has no parts
 */
public record Outcome(
    double reward,
    boolean done,
    boolean success,
    boolean valid,
    String event,
    boolean goalSeen,
    Map<String, Double> parts)
    implements Serializable {

  /** Without parts, and without the goal in view. */
  public Outcome(double reward, boolean done, boolean success, boolean valid, String event) {
    this(reward, done, success, valid, event, false, Map.of());
  }

  /** The same with what the task is after in view. */
  public Outcome withGoalSeen() {
    return new Outcome(reward, done, success, valid, event, true, parts);
  }
}
