package org.vstar.env.sokoban;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Pulls boxes away from their targets, depth first, and keeps the state that looks hardest: that of
 * the largest product of how often another box was pulled and how far the boxes are away.
 */
final class ReversePlay {

  private static final int MOST_STATES = 300_000;
  private static final int NONE = -1;

  private final Room solved;
  private final int[] targets;
  private final Set<String> seen = new HashSet<>();
  private byte[] bestState;
  private int[] bestBoxes;
  private long bestScore = -1;

  /**
   * From a room whose boxes are on their targets, with the code of boxes that are not.
   *
   * @param targets in row order
   */
  ReversePlay(Room solved, int[] targets) {
    this.solved = solved;
    this.targets = targets;
  }

  /** Looks as many moves back. */
  void from(int depth) {
    visit(solved.state(), targets.clone(), 0, NONE, depth);
  }

  /** How far the boxes of the best state are from their targets, in all. */
  int distance() {
    return bestBoxes == null ? 0 : distance(bestBoxes);
  }

  /** The best state. */
  Room best() {
    byte[] state = bestState.clone();
    for (int cell = 0; cell < state.length; cell++) {
      state[cell] = state[cell] == Room.BOX_ON_TARGET ? Room.BOX : state[cell];
    }
    return new Room(solved.columns(), solved.fixed(), state);
  }

  private int distance(int[] boxes) {
    int distance = 0;
    for (int i = 0; i < boxes.length; i++) {
      distance += solved.distance(boxes[i], targets[i]);
    }
    return distance;
  }

  /**
   * Visits a state.
   *
   * @param boxes where the box of each target is
   * @param swaps how often another box was pulled than before
   * @param last the target of the box that was pulled last
   */
  private void visit(byte[] state, int[] boxes, int swaps, int last, int depth) {
    int left = depth - 1;
    String codes = new String(state, StandardCharsets.ISO_8859_1);
    if (left <= 0 || seen.size() >= MOST_STATES || seen.contains(codes)) {
      return;
    }
    long score = count(state, Room.TARGET) == targets.length ? (long) swaps * distance(boxes) : 0;
    if (score > bestScore) {
      bestScore = score;
      bestState = state;
      bestBoxes = boxes;
    }
    seen.add(codes);
    Room room = new Room(solved.columns(), solved.fixed(), state);
    int player = room.player();
    for (int step : room.steps()) {
      if (room.isFree(player + step)) {
        pull(room, player, step, boxes, swaps, last, left);
      }
    }
  }

  private void pull(Room room, int player, int step, int[] boxes, int swaps, int last, int left) {
    byte[] next = room.state().clone();
    int[] moved = boxes;
    int pulled = last;
    next[player + step] = Room.PLAYER;
    next[player] = room.fixed()[player];
    int behind = player - step;
    if (room.isBox(behind)) {
      next[player] = Room.BOX_ON_TARGET;
      next[behind] = room.fixed()[behind];
      moved = boxes.clone();
      for (int i = 0; i < moved.length; i++) {
        if (moved[i] == behind) {
          moved[i] = player;
          pulled = i;
        }
      }
    }
    visit(next, moved, swaps + (pulled == last ? 0 : 1), pulled, left);
  }

  private static int count(byte[] state, byte code) {
    int count = 0;
    for (byte each : state) {
      count += each == code ? 1 : 0;
    }
    return count;
  }
}
