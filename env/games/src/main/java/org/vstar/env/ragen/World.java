package org.vstar.env.ragen;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;

/** What makes a {@link GameEnvironment} one game and not another. Immutable. */
public interface World extends Serializable {

  /** The name that tables and reports carry. */
  String name();

  /** The rules and settings, for the fingerprint. */
  CanonicalJson canonical();

  /** The board of a seed; none for a seed that no board comes of. */
  Optional<Board> board(long seed);

  /**
   * Opens a game.
   *
   * @param seed of the board, which has one
   * @param worldSeed what chance draws from, if the game has any, as an unsigned number; the
   *     board's own seed gives what RAGEN plays
   */
  Game game(long seed, long worldSeed);

  /** Whether chance has no part in a game, whatever the world's seed. */
  default boolean deterministic() {
    return false;
  }

  /** The names of all actions of all tasks; empty where every text is an action. */
  List<String> actionNames();

  /** The system's message, as RAGEN has it. */
  String system(LoopConfig loop);

  /**
   * What a search finds best from the present state on.
   *
   * @param left what is left of the episode
   * @return the actions of the next answer, at least one
   */
  List<String> plan(Game game, Budget left);

  /** One action of a simple rule that does not look ahead. */
  String greedy(Game game);

  /** One action at random. */
  String random(Game game, SplittableRandom random);

  /** The kind of task that reports break results down by. */
  default String category(Board board) {
    return board.shortest() + " steps";
  }

  /**
   * Whether RAGEN draws its boards by the seeds that this one does, so that they can be compared.
   */
  default boolean hasSeedsOfRagen() {
    return false;
  }
}
