package org.vstar.spark.rollout;

import java.util.Locale;

/**
 * How fast rollouts go, and how long they will take. Rollouts are counted as units end, which may
 * be minutes apart; turns are counted as they are taken. So the time that remains is estimated from
 * turns.
 */
final class Pace {

  private final long rollouts;
  private long ended;

  /** Turns of a rollout on average; those of rollouts under way are counted with the ended ones. */
  private double turnsOfEach;

  /**
   * Nothing has been played yet.
   *
   * @param rollouts how many there will be
   */
  Pace(long rollouts) {
    this.rollouts = rollouts;
  }

  /**
   * The pace in words.
   *
   * @param nowEnded rollouts that have ended
   * @param turns that have been taken
   * @param seconds since the first began
   */
  String say(long nowEnded, long turns, double seconds) {
    if (turns == 0) {
      return nowEnded == rollouts ? "0 s remain" : "starting";
    }
    if (nowEnded > ended) {
      ended = nowEnded;
      turnsOfEach = (double) turns / ended;
    }
    String pace = String.format(Locale.ROOT, "%d turns, %.1f turns/s", turns, turns / seconds);
    if (ended == 0) {
      return pace;
    }
    double left = ended == rollouts ? 0 : Math.max(0, rollouts * turnsOfEach - turns);
    return String.format(Locale.ROOT, "%s, %.0f s remain", pace, left * seconds / turns);
  }
}
