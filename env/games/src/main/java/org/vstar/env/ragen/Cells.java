package org.vstar.env.ragen;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/** Cells of a grid as RAGEN's coordinate texts write them. */
public final class Cells {

  private final int rows;
  private final int columns;
  private final List<String> lines = new ArrayList<>();

  /** Of a grid without lines yet. */
  public Cells(int rows, int columns) {
    this.rows = rows;
    this.columns = columns;
    lines.add("Board size: " + rows + " rows x " + columns + " cols (zero-indexed).");
  }

  /** Adds a line of those cells for which something holds, in row order, if there are any. */
  public Cells line(String name, BiPredicate<Integer, Integer> holds) {
    List<String> cells = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        if (holds.test(row, column)) {
          cells.add("(" + row + ", " + column + ")");
        }
      }
    }
    if (!cells.isEmpty()) {
      lines.add(name + ": " + String.join(", ", cells));
    }
    return this;
  }

  /** All lines. */
  public String text() {
    return String.join("\n", lines);
  }
}
