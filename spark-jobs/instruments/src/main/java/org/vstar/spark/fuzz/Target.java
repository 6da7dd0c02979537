package org.vstar.spark.fuzz;

import java.util.SplittableRandom;

/** A reader under attack. */
interface Target {

  /** What {@code --only} calls it. */
  String name();

  /** How often it is attacked, measured against the others. */
  default int weight() {
    return 10;
  }

  /**
   * Changes an input and reads it.
   *
   * @param random decides how; the same numbers make the same case
   * @throws org.vstar.common.InvalidInputException if the reader refused, as it may
   * @throws Finding if the reader took what it should not have, or left something behind
   * @throws Exception anything else is a finding too
   */
  void attack(SplittableRandom random) throws Exception;

  /** What a reader did that it should not. */
  final class Finding extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Finding(String message) {
      super(message);
    }
  }

  /** Finds that something which was accepted is not what it was. */
  static void requireEqual(String what, Object before, Object now) {
    if (!before.equals(now)) {
      throw new Finding("an unnoticed change of " + what + ": " + before + " became " + now);
    }
  }
}
