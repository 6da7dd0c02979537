package org.vstar.env.ragen;

/**
 * What is left of an episode.
 *
 * @param turns answers
 * @param actions actions of all of them
 * @param perTurn actions that an answer can play at most
 */
public record Budget(int turns, int actions, int perTurn) {

  /** How many actions the next answer can play. */
  public int ofTurn() {
    return turns <= 0 ? 0 : Math.min(actions, perTurn);
  }

  /** What is left after an answer of some actions. */
  public Budget after(int played) {
    return new Budget(turns - 1, actions - played, perTurn);
  }
}
