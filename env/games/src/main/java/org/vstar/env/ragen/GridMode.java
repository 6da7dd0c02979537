package org.vstar.env.ragen;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** How a board is shown. */
public enum GridMode {
  /** A symbol a cell, row by row. */
  @JsonProperty("grid")
  GRID,

  /** Coordinates of what is on it. */
  @JsonProperty("coord")
  COORD,

  /** Both. */
  @JsonProperty("grid_coord")
  GRID_COORD;

  /** What configs call it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The text of a board. */
  public String text(String grid, String coordinates) {
    return switch (this) {
      case GRID -> grid;
      case COORD -> coordinates;
      case GRID_COORD -> "Coordinates: \n" + coordinates + "\nGrid Map: \n" + grid;
    };
  }
}
