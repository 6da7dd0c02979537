package org.vstar.env.sokoban;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.vstar.env.python.NumpyRandomState;
import org.vstar.env.python.PythonRandom;

/**
 * Makes the room of a seed: a walk clears floor, boxes are put on targets, and are pulled away from
 * there; then the player strolls. Both of RAGEN's generators run side by side.
 */
final class RoomGenerator {

  private static final int TRIES = 4;
  private static final double STEPS_PER_SIDE = 1.7;
  private static final double TURNS = 0.35;
  private static final double STROLLS_NEAR = 0.8;
  private static final double STROLLS_FAR = 0.5;
  private static final double STROLLS_ON = 0.5;
  private static final int LONGEST_STROLL = 3;

  /** Row and column steps of the walk. */
  private static final int[][] WAYS = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

  /** What a step of the walk clears, as row and column offsets. */
  private static final int[][][] MASKS = {
    {{0, -1}, {0, 0}, {0, 1}},
    {{-1, 0}, {0, 0}, {1, 0}},
    {{0, -1}, {0, 0}, {1, 0}},
    {{0, -1}, {0, 0}, {1, -1}, {1, 0}},
    {{0, 0}, {0, 1}, {1, 0}}
  };

  private final RoomConfig config;
  private final PythonRandom python;
  private final NumpyRandomState numpy;
  private String refusal = "";

  RoomGenerator(RoomConfig config, long seed) {
    this.config = config;
    this.python = new PythonRandom(seed);
    this.numpy = new NumpyRandomState(seed);
  }

  /** The room; none where RAGEN would go on with another seed. */
  Optional<Room> room() {
    for (int i = 0; i < TRIES; i++) {
      byte[] fixed = topology();
      int[] targets = new int[config.boxes()];
      byte[] solved = fixed.clone();
      if (!place(solved, targets)) {
        refusal = "spots";
        return Optional.empty();
      }
      for (int target : targets) {
        fixed[target] = Room.TARGET;
      }
      ReversePlay play = new ReversePlay(new Room(config.columns(), fixed, solved), targets);
      play.from(config.depth());
      if (play.distance() > 0) {
        Room room = play.best();
        stroll(room, play.distance());
        return Optional.of(room);
      }
    }
    refusal = "score";
    return Optional.empty();
  }

  /**
   * Why there was no room: {@code spots}, too little floor, or {@code score}, boxes that cannot be
   * pulled away.
   */
  String refusal() {
    return refusal;
  }

  private byte[] topology() {
    int rows = config.rows();
    int columns = config.columns();
    byte[] cells = new byte[rows * columns];
    int way = python.below(WAYS.length);
    int row = 1 + python.below(rows - 1);
    int column = 1 + python.below(columns - 1);
    int steps = (int) (STEPS_PER_SIDE * (rows + columns));
    for (int i = 0; i < steps; i++) {
      if (python.random() < TURNS) {
        way = python.below(WAYS.length);
      }
      row = Math.max(1, Math.min(rows - 2, row + WAYS[way][0]));
      column = Math.max(1, Math.min(columns - 2, column + WAYS[way][1]));
      for (int[] offset : MASKS[python.below(MASKS.length)]) {
        cells[(row + offset[0]) * columns + column + offset[1]] = Room.FLOOR;
      }
    }
    Arrays.fill(cells, 0, columns, Room.WALL);
    Arrays.fill(cells, cells.length - columns, cells.length, Room.WALL);
    for (int i = 0; i < rows; i++) {
      cells[i * columns] = Room.WALL;
      cells[i * columns + columns - 1] = Room.WALL;
    }
    return cells;
  }

  /** Puts the player and the boxes into a room; false if there is too little floor. */
  private boolean place(byte[] cells, int[] targets) {
    if (free(cells).size() <= config.boxes() + 1) {
      return false;
    }
    cells[drawn(cells)] = Room.PLAYER;
    for (int i = 0; i < targets.length; i++) {
      targets[i] = drawn(cells);
      cells[targets[i]] = Room.BOX;
    }
    Arrays.sort(targets);
    return true;
  }

  private int drawn(byte[] cells) {
    List<Integer> free = free(cells);
    return free.get(numpy.below(free.size()));
  }

  private static List<Integer> free(byte[] cells) {
    List<Integer> free = new ArrayList<>();
    for (int cell = 0; cell < cells.length; cell++) {
      if (cells[cell] == Room.FLOOR) {
        free.add(cell);
      }
    }
    return free;
  }

  /** Lets the player take some steps to where it has not been. */
  private void stroll(Room room, int distance) {
    if (python.random() > (distance == 1 ? STROLLS_NEAR : STROLLS_FAR)) {
      return;
    }
    BitSet been = new BitSet();
    for (int i = 1; i <= LONGEST_STROLL; i++) {
      int player = room.player();
      been.set(player);
      List<Integer> possible = new ArrayList<>();
      for (int step : room.steps()) {
        if (room.isFree(player + step) && !been.get(player + step)) {
          possible.add(step);
        }
      }
      if (possible.isEmpty()) {
        return;
      }
      room.step(possible.get(python.below(possible.size())));
      if (i == LONGEST_STROLL || python.random() > STROLLS_ON) {
        return;
      }
    }
  }
}
