package org.vstar.env.ragen;

import java.util.List;

/** One attempt at a game, as {@link LoopEpisode} plays it. Not thread-safe. */
public interface Game {

  /** The state, as the agent sees it. */
  String state();

  /**
   * The names of the actions, compared without regard to case; empty where every text is an action.
   */
  List<String> actions();

  /**
   * Plays an action.
   *
   * @param action one of the names, or any text where there are none
   */
  Move play(String action);

  /**
   * What an action led to.
   *
   * @param reward of the action
   * @param whole whether the reward is written as an integer
   * @param done whether the game is over
   * @param success whether it is won
   */
  record Move(double reward, boolean whole, boolean done, boolean success) {}
}
