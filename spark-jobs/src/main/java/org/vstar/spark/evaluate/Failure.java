package org.vstar.spark.evaluate;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;

/** Why an episode did not succeed; the first that applies. */
public enum Failure {
  WRONG_PURCHASE(
      "wrong purchase", "The agent ended the episode with something it was not asked for."),
  INVALID_ACTIONS("invalid actions", "At least half of the turns were not legal actions."),
  SEARCH_LOOP("search loop", "At least half of the turns repeated an earlier action."),
  UNREACHABLE_TARGET(
      "unreachable target", "Nothing that the agent did ever brought the target into view."),
  OUT_OF_TURNS("out of turns", "The target was in view, and the turns or the context ran out.");

  private final String words;
  private final String meaning;

  Failure(String words, String meaning) {
    this.words = words;
    this.meaning = meaning;
  }

  /** What reports call it. */
  public String words() {
    return words;
  }

  /** A sentence that says when an episode is counted here. */
  public String meaning() {
    return meaning;
  }

  /**
   * Sorts an episode that did not succeed.
   *
   * @param turns at least one
   */
  public static Failure of(List<Turn> turns) {
    if (turns.get(turns.size() - 1).outcome().done()) {
      return WRONG_PURCHASE;
    }
    long invalid = turns.stream().filter(t -> !t.outcome().valid()).count();
    if (2 * invalid >= turns.size()) {
      return INVALID_ACTIONS;
    }
    Set<String> actions = new HashSet<>();
    long repeated = turns.stream().filter(t -> !actions.add(t.answer().action())).count();
    if (2 * repeated >= turns.size()) {
      return SEARCH_LOOP;
    }
    boolean seen = turns.stream().map(Turn::outcome).anyMatch(Outcome::helpful);
    return seen ? OUT_OF_TURNS : UNREACHABLE_TARGET;
  }
}
