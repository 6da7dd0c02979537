package org.vstar.env;

/**
 * What an action led to.
 *
 * @param reward reward of this turn
 * @param done whether the environment ended the episode; the turn limit is the loop's to keep
 * @param success whether the task was accomplished (the environment's own yes or no)
 * @param valid whether the action was legal
 * @param event what happened, in one of the environment's fixed words; reports sort failures by it
 */
public record Outcome(double reward, boolean done, boolean success, boolean valid, String event) {

  private static final String HELPFUL = "helpful";

  /** Whether it brought what the task is after into view: the event's first word says so. */
  public boolean helpful() {
    return event.startsWith(HELPFUL);
  }
}
