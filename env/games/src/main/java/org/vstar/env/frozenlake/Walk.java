package org.vstar.env.frozenlake;

import java.util.List;
import org.vstar.env.python.NumpyGenerator;
import org.vstar.env.ragen.Cells;
import org.vstar.env.ragen.Game;
import org.vstar.env.ragen.GridMode;

/** One walk on a map, as Gymnasium's FrozenLake has it. */
final class Walk implements Game {

  /** Names of the directions, in Gymnasium's order. */
  static final List<String> ACTIONS = List.of("Left", "Down", "Right", "Up");

  private final LakeMap map;
  private final double rate;
  private final GridMode mode;
  private final NumpyGenerator random;
  private int player;

  /**
   * Begins at the start.
   *
   * @param rate probability that the player goes where it wants to
   * @param random its first draw has no effect: Gymnasium draws the start from one place
   */
  Walk(LakeMap map, double rate, GridMode mode, NumpyGenerator random) {
    this.map = map;
    this.rate = rate;
    this.mode = mode;
    this.random = random;
    this.player = map.start();
    random.random();
  }

  LakeMap map() {
    return map;
  }

  int player() {
    return player;
  }

  /**
   * The probabilities of going where the player wants to: before it, there, behind it, in the order
   * of the directions.
   */
  static double[] chances(double rate) {
    double other = (1.0 - rate) / 2.0;
    return new double[] {other, rate, other};
  }

  @Override
  public List<String> actions() {
    return ACTIONS;
  }

  @Override
  public Move play(String action) {
    double drawn = random.random();
    double[] chances = chances(rate);
    int way = 0;
    double sum = 0;
    for (int i = 0; i < chances.length; i++) {
      sum += chances[i];
      if (sum > drawn) {
        way = i;
        break;
      }
    }
    boolean moves = !map.isEnd(player);
    if (moves) {
      int wanted = ACTIONS.indexOf(action);
      player = map.next(player, Math.floorMod(wanted + way - 1, LakeMap.WAYS));
    }
    boolean won = player == map.goal();
    return new Move(moves && won ? 1 : 0, true, map.isEnd(player), won);
  }

  @Override
  public String state() {
    return mode.text(grid(), coordinates());
  }

  String grid() {
    StringBuilder grid = new StringBuilder();
    for (int place = 0; place < map.size() * map.size(); place++) {
      if (place > 0 && place % map.size() == 0) {
        grid.append('\n');
      }
      char tile = map.tile(place);
      if (place == player) {
        grid.append(tile == 'H' ? 'X' : tile == 'G' ? '\u221a' : 'P');
      } else {
        grid.append(tile == 'H' ? 'O' : tile == 'G' ? 'G' : '_');
      }
    }
    return grid.toString();
  }

  String coordinates() {
    char under = map.tile(player);
    String name = under == 'G' ? "Player on goal" : under == 'H' ? "Player in hole" : "Player";
    int size = map.size();
    return new Cells(size, size)
        .line("Start", (row, column) -> row * size + column == map.start())
        .line("Goal", (row, column) -> row * size + column == map.goal())
        .line(name, (row, column) -> row * size + column == player)
        .line("Holes", (row, column) -> map.tile(row * size + column) == 'H')
        .text();
  }
}
