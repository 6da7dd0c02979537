package org.vstar.spark.score;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;

/**
 * Why an episode did not succeed. One that the environment ended is called by its last event, for
 * example {@code wrong type}; of what never came to an end it is the first of these that applies.
 */
public final class Failure {

  static final String INVALID_ACTIONS = "invalid actions";
  static final String REPEATED_ACTIONS = "repeated actions";
  static final String UNREACHABLE_TARGET = "unreachable target";
  static final String OUT_OF_TURNS = "out of turns";

  private static final Map<String, String> UNENDED =
      Map.of(
          INVALID_ACTIONS, "At least half of the turns were not legal actions.",
          REPEATED_ACTIONS, "At least half of the turns repeated an earlier action.",
          UNREACHABLE_TARGET, "Nothing that the agent did ever brought the target into view.",
          OUT_OF_TURNS, "The target was in view, and the turns or the context ran out.");

  private Failure() {}

  /** A sentence that says when an episode is counted under a failure's name. */
  public static String meaning(String failure) {
    return UNENDED.getOrDefault(failure, "The episode came to an end, and this was wrong first.");
  }

  /** Whether the agent never did what ends an episode. */
  public static boolean unended(String failure) {
    return UNENDED.containsKey(failure);
  }

  /**
   * Sorts an episode that did not succeed.
   *
   * @param turns at least one
   */
  static String of(List<Turn> turns) {
    Outcome last = turns.get(turns.size() - 1).outcome();
    if (last.done()) {
      return last.event();
    }
    long invalid = turns.stream().filter(t -> !t.outcome().valid()).count();
    if (2 * invalid >= turns.size()) {
      return INVALID_ACTIONS;
    }
    Set<String> actions = new HashSet<>();
    long repeated = turns.stream().filter(t -> !actions.add(t.answer().action())).count();
    if (2 * repeated >= turns.size()) {
      return REPEATED_ACTIONS;
    }
    boolean seen = turns.stream().map(Turn::outcome).anyMatch(Outcome::goalSeen);
    return seen ? OUT_OF_TURNS : UNREACHABLE_TARGET;
  }
}
