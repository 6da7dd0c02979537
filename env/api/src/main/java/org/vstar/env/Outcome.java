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
 * @param parts what the reward is made of, by name and in order; empty where it has no parts
 */
public record Outcome(
    double reward,
    boolean done,
    boolean success,
    boolean valid,
    String event,
    Map<String, Double> parts)
    implements Serializable {

  private static final String HELPFUL = "helpful";

  /** Without parts. */
  public Outcome(double reward, boolean done, boolean success, boolean valid, String event) {
    this(reward, done, success, valid, event, Map.of());
  }

  /** Whether it brought what the task is after into view: the event's first word says so. */
  public boolean helpful() {
    return event.startsWith(HELPFUL);
  }
}
