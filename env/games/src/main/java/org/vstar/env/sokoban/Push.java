package org.vstar.env.sokoban;

import java.util.List;
import org.vstar.env.ragen.Cells;
import org.vstar.env.ragen.Game;
import org.vstar.env.ragen.GridMode;

/** One attempt at a room, as gym-sokoban has it. */
final class Push implements Game {

  /** Names of the directions, in the order of {@link Room#steps}. */
  static final List<String> ACTIONS = List.of("Up", "Down", "Left", "Right");

  private static final double OF_STEP = -0.1;
  private static final double OF_BOX = 1;
  private static final double OF_ALL = 10;

  private final Room room;
  private final GridMode mode;
  private final String symbols;
  private final int mostSteps;
  private int steps;
  private int onTarget;

  /**
   * Begins.
   *
   * @param room changes from step to step
   * @param symbols of the codes 0 to 6
   * @param mostSteps after so many it is over
   */
  Push(Room room, GridMode mode, String symbols, int mostSteps) {
    this.room = room;
    this.mode = mode;
    this.symbols = symbols;
    this.mostSteps = mostSteps;
  }

  Room room() {
    return room;
  }

  @Override
  public List<String> actions() {
    return ACTIONS;
  }

  @Override
  public Move play(String action) {
    room.step(room.steps()[ACTIONS.indexOf(action)]);
    steps++;
    int now = room.boxesOnTargets();
    double reward = OF_STEP;
    if (now != onTarget) {
      reward += now > onTarget ? OF_BOX : -OF_BOX;
    }
    onTarget = now;
    boolean solved = isSolved();
    if (solved) {
      reward += OF_ALL;
    }
    return new Move(reward, false, solved || steps == mostSteps, solved);
  }

  private boolean isSolved() {
    for (int cell = 0; cell < room.fixed().length; cell++) {
      if (room.fixed()[cell] == Room.TARGET && room.state()[cell] != Room.BOX_ON_TARGET) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String state() {
    return mode.text(grid(), coordinates());
  }

  String grid() {
    byte[] shown = new byte[room.state().length];
    for (int cell = 0; cell < shown.length; cell++) {
      shown[cell] = room.shown(cell);
    }
    return room.text(shown, symbols);
  }

  String coordinates() {
    int columns = room.columns();
    return new Cells(room.rows(), columns)
        .line("Targets", (row, column) -> room.fixed()[row * columns + column] == Room.TARGET)
        .line("Boxes", (row, column) -> room.shown(row * columns + column) == Room.BOX)
        .line(
            "Boxes on target",
            (row, column) -> room.shown(row * columns + column) == Room.BOX_ON_TARGET)
        .line("Player", (row, column) -> room.shown(row * columns + column) == Room.PLAYER)
        .line(
            "Player on target",
            (row, column) -> room.shown(row * columns + column) == Room.PLAYER_ON_TARGET)
        .text();
  }
}
