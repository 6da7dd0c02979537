package org.vstar.env.sokoban;

/**
 * A room. Cells count row by row; what is in one is one of the codes below.
 *
 * @param columns of a row
 * @param fixed walls, floor and targets
 * @param state the same with boxes and the player
 */
record Room(int columns, byte[] fixed, byte[] state) {

  static final byte WALL = 0;
  static final byte FLOOR = 1;
  static final byte TARGET = 2;
  static final byte BOX_ON_TARGET = 3;
  static final byte BOX = 4;
  static final byte PLAYER = 5;

  /** A player on a target, where rooms are shown. */
  static final byte PLAYER_ON_TARGET = 6;

  /** Another with cells of its own. */
  Room copy() {
    return new Room(columns, fixed.clone(), state.clone());
  }

  int rows() {
    return fixed.length / columns;
  }

  int player() {
    for (int cell = 0; cell < state.length; cell++) {
      if (state[cell] == PLAYER) {
        return cell;
      }
    }
    throw new IllegalStateException("a room without a player");
  }

  /** Whether somebody can go there. */
  boolean isFree(int cell) {
    return state[cell] == FLOOR || state[cell] == TARGET;
  }

  boolean isBox(int cell) {
    return state[cell] == BOX || state[cell] == BOX_ON_TARGET;
  }

  int boxesOnTargets() {
    int count = 0;
    for (byte code : state) {
      count += code == BOX_ON_TARGET ? 1 : 0;
    }
    return count;
  }

  /** What is shown in a cell. */
  byte shown(int cell) {
    return state[cell] == PLAYER && fixed[cell] == TARGET ? PLAYER_ON_TARGET : state[cell];
  }

  /** How far a cell lies from another, around nothing. */
  int distance(int cell, int other) {
    return Math.abs(cell / columns - other / columns) + Math.abs(cell % columns - other % columns);
  }

  /** The steps to the neighbours up, down, left and right. */
  int[] steps() {
    return new int[] {-columns, columns, -1, 1};
  }

  /** Moves the player, and a box that it pushes. */
  void step(int step) {
    int from = player();
    int to = from + step;
    if (isBox(to)) {
      int behind = to + step;
      if (!isFree(behind)) {
        return;
      }
      state[behind] = fixed[behind] == TARGET ? BOX_ON_TARGET : BOX;
    } else if (!isFree(to)) {
      return;
    }
    state[to] = PLAYER;
    state[from] = fixed[from];
  }

  /** The codes of some cells as text, row by row. */
  String text(byte[] cells, String symbols) {
    StringBuilder text = new StringBuilder();
    for (int cell = 0; cell < cells.length; cell++) {
      if (cell > 0 && cell % columns == 0) {
        text.append('\n');
      }
      text.append(symbols.charAt(cells[cell]));
    }
    return text.toString();
  }
}
