package org.vstar.env.frozenlake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.vstar.env.python.NumpyGenerator;

/**
 * A map. Tiles are F, frozen, H, a hole, S and G, start and goal; places count row by row.
 *
 * @param rows its tiles
 * @param start where the player begins
 * @param goal where it wants to
 */
record LakeMap(List<String> rows, int start, int goal) {

  /** Row and column steps of left, down, right, up. */
  private static final int[][] DIRECTIONS = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};

  /** How many directions there are. */
  static final int WAYS = DIRECTIONS.length;

  /**
   * RAGEN's map of a freshly seeded generator.
   *
   * @param size rows and columns
   * @param frozen share of tiles that are no hole
   */
  static LakeMap of(NumpyGenerator random, int size, double frozen) {
    double share = frozen / (frozen + (1 - frozen));
    while (true) {
      char[] tiles = new char[size * size];
      for (int i = 0; i < tiles.length; i++) {
        tiles[i] = random.random() < share ? 'F' : 'H';
      }
      int start = random.below(size) * size + random.below(size);
      int goal = random.below(size) * size + random.below(size);
      tiles[start] = 'S';
      tiles[goal] = 'G';
      List<String> rows = new ArrayList<>();
      for (int row = 0; row < size; row++) {
        rows.add(new String(tiles, row * size, size));
      }
      LakeMap map = new LakeMap(List.copyOf(rows), start, goal);
      if (start != goal && map.shortest() >= 0) {
        return map;
      }
    }
  }

  int size() {
    return rows.size();
  }

  char tile(int place) {
    return rows.get(place / size()).charAt(place % size());
  }

  /** Whether the player stays there for good. */
  boolean isEnd(int place) {
    return tile(place) == 'H' || tile(place) == 'G';
  }

  /** The place next to one, or the same at an edge. */
  int next(int place, int direction) {
    int row = Math.min(size() - 1, Math.max(0, place / size() + DIRECTIONS[direction][0]));
    int column = Math.min(size() - 1, Math.max(0, place % size() + DIRECTIONS[direction][1]));
    return row * size() + column;
  }

  /** Steps of a shortest way that never slips; −1 if there is none. */
  int shortest() {
    return distances()[start];
  }

  /** Steps from each place to the goal, around holes; −1 where there is no way. */
  int[] distances() {
    int[] distances = new int[size() * size()];
    Arrays.fill(distances, -1);
    distances[goal] = 0;
    Deque<Integer> open = new ArrayDeque<>(List.of(goal));
    while (!open.isEmpty()) {
      int place = open.remove();
      for (int direction = 0; direction < WAYS; direction++) {
        int near = next(place, direction);
        if (distances[near] < 0 && tile(near) != 'H') {
          distances[near] = distances[place] + 1;
          open.add(near);
        }
      }
    }
    return distances;
  }
}
