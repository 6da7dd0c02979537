package org.vstar.env.frozenlake;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;
import org.vstar.env.python.NumpyGenerator;
import org.vstar.env.ragen.Board;
import org.vstar.env.ragen.Budget;
import org.vstar.env.ragen.Game;
import org.vstar.env.ragen.GridMode;
import org.vstar.env.ragen.LoopConfig;
import org.vstar.env.ragen.SystemMessage;
import org.vstar.env.ragen.World;

/**
 * A lake that is frozen but for holes; on ice the player may slip. A task is a map, and the slips
 * are the world's own chance, so that V* of a task is an expectation over both answers and slips.
 */
record FrozenLake(int size, double frozen, double rate, GridMode mode) implements World {

  static final String NAME = "frozenlake";

  private static final String LEGEND =
      "P: player, _: empty, O: hole, G: goal, X: player in hole, \u221a: player on goal";
  private static final String OF_GRID =
      "You are solving the FrozenLake puzzle. Forbid the whole and go to the target. You may move to"
          + " the unintended direction due to the slippery ice. Example answer format: <think>To"
          + " forbid the hole and go to the target, I should go left then go up.</think><answer>Left"
          + " || Up</answer>";
  private static final String OF_COORDINATES =
      "You are solving the FrozenLake puzzle. The observation includes both a symbol grid and"
          + " zero-indexed coordinates for the start, goal, player, and any holes.\n"
          + "Coordinates range from the top-left corner (0, 0) to the bottom-right corner (5, 5).\n"
          + "Beware that the ice is slippery, so the agent might slide and end up in an unintended"
          + " tile.\n"
          + "Respond with a sequence of actions such as <answer>Left || Up || Up</answer>.\n";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CanonicalJson canonical() {
    return CanonicalJson.of(NAME, 1)
        .with("size", size)
        .with("frozen", frozen)
        .with("rate", rate)
        .with("mode", mode.word());
  }

  private LakeMap map(long seed) {
    return LakeMap.of(new NumpyGenerator(seed), size, frozen);
  }

  @Override
  public Optional<Board> board(long seed) {
    LakeMap map = map(seed);
    String text = String.join("\n", map.rows());
    return Optional.of(Board.of(text, Board.firstImage(map.rows()), map.shortest()));
  }

  @Override
  public boolean deterministic() {
    return rate == 1;
  }

  @Override
  public Game game(long seed, long worldSeed) {
    NumpyGenerator slips = new NumpyGenerator(worldSeed);
    return new Walk(map(seed), rate, mode, slips);
  }

  @Override
  public List<String> actionNames() {
    return Walk.ACTIONS;
  }

  @Override
  public String system(LoopConfig loop) {
    String instruction = mode == GridMode.GRID ? OF_GRID : OF_COORDINATES;
    return SystemMessage.of(instruction, LEGEND, Walk.ACTIONS, loop.actions());
  }

  /** What most probably leads to the goal; the ice may slip between the actions of a turn. */
  @Override
  public List<String> plan(Game game, Budget left) {
    Walk walk = (Walk) game;
    return new BestPlan(walk.map(), rate)
        .from(walk.player(), left).stream().map(Walk.ACTIONS::get).toList();
  }

  /** Straight for the goal, rows first, holes or not. */
  @Override
  public String greedy(Game game) {
    Walk walk = (Walk) game;
    int rows = walk.map().goal() / size - walk.player() / size;
    int columns = walk.map().goal() % size - walk.player() % size;
    if (rows != 0) {
      return rows > 0 ? "Down" : "Up";
    }
    return columns > 0 ? "Right" : "Left";
  }

  @Override
  public String random(Game game, SplittableRandom random) {
    return Walk.ACTIONS.get(random.nextInt(Walk.ACTIONS.size()));
  }

  @Override
  public boolean hasSeedsOfRagen() {
    return true;
  }
}
