package org.vstar.env.sokoban;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds shortest solutions, breadth first. */
final class Solver {

  /** Beyond so many states it gives up; a room of two boxes has some thousand. */
  private static final int MOST_STATES = 1_000_000;

  private Solver() {}

  /** How a state was reached. */
  private record Reached(String from, int way) {}

  /**
   * The ways of a shortest solution, as indices of {@link Room#steps}; none if there is no
   * solution, or none was found.
   */
  static Optional<List<Integer>> solution(Room room) {
    String begin = codes(room);
    Map<String, Reached> reached = new HashMap<>();
    reached.put(begin, new Reached("", 0));
    Deque<String> open = new ArrayDeque<>(List.of(begin));
    while (!open.isEmpty() && reached.size() < MOST_STATES) {
      String state = open.remove();
      for (int way = 0; way < room.steps().length; way++) {
        Room next = of(room, state);
        next.step(room.steps()[way]);
        String codes = codes(next);
        if (reached.putIfAbsent(codes, new Reached(state, way)) == null) {
          if (codes.indexOf(Room.BOX) < 0) {
            return Optional.of(ways(reached, codes, begin));
          }
          open.add(codes);
        }
      }
    }
    return Optional.empty();
  }

  private static List<Integer> ways(Map<String, Reached> reached, String end, String begin) {
    List<Integer> ways = new ArrayList<>();
    for (String at = end; !at.equals(begin); at = reached.get(at).from) {
      ways.add(reached.get(at).way);
    }
    Collections.reverse(ways);
    return ways;
  }

  private static String codes(Room room) {
    return new String(room.state(), StandardCharsets.ISO_8859_1);
  }

  private static Room of(Room room, String codes) {
    return new Room(room.columns(), room.fixed(), codes.getBytes(StandardCharsets.ISO_8859_1));
  }
}
