package org.vstar.model.train;

import java.util.Locale;
import org.vstar.common.InvalidInputException;

/** What a return is held against. All but V* are there to measure what V* is worth. */
enum Baseline {
  /** V*, as A*-PO has it. */
  VSTAR,

  /** The mean return of the reference policy's samples, those that V* is made of. */
  MEAN,

  /** Nothing: the return itself is the advantage. */
  ZERO;

  static Baseline of(String word) {
    for (Baseline baseline : values()) {
      if (baseline.word().equals(word)) {
        return baseline;
      }
    }
    throw new InvalidInputException(
        "config key 'train.baseline' is '" + word + "', expected vstar, mean or zero");
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  double of(TaskValue value) {
    return switch (this) {
      case VSTAR -> value.vStar();
      case MEAN -> value.mean();
      case ZERO -> 0;
    };
  }
}
