package org.vstar.env.sokoban;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * What rooms are like; the defaults are RAGEN's simple rooms, its larger ones are 8 × 8 with two
 * boxes and depth 10.
 *
 * @param rows rows, walls included
 * @param columns columns, walls included
 * @param boxes boxes, and targets
 * @param depth how many moves a search from the solved room looks back
 */
public record RoomConfig(
    @Default("6") int rows,
    @Default("6") int columns,
    @Default("1") int boxes,
    @Default("300") int depth)
    implements Serializable {

  private static final int SMALLEST = 4;
  private static final int LARGEST = 20;
  private static final int MOST_BOXES = 5;
  private static final int DEEPEST = 1000;

  /** Checks the ranges. */
  public RoomConfig {
    require("rows", rows, SMALLEST, LARGEST);
    require("columns", columns, SMALLEST, LARGEST);
    require("boxes", boxes, 1, MOST_BOXES);
    require("depth", depth, 1, DEEPEST);
  }

  private static void require(String key, int value, int least, int most) {
    InvalidInputException.require(
        value >= least && value <= most, "environment.room." + key, value, least + " to " + most);
  }

  CanonicalJson canonical() {
    return CanonicalJson.of("room", 1)
        .with("rows", rows)
        .with("columns", columns)
        .with("boxes", boxes)
        .with("depth", depth);
  }
}
