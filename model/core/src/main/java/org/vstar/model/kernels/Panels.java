package org.vstar.model.kernels;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.vstar.model.kernels.Kernels.View;

/**
 * The right-hand matrix of a product, k × n, laid out as tiles read it: panels of {@link #COLUMNS}
 * columns, and in a panel the k rows one behind the other. What stands in columns beyond the n-th
 * does not matter.
 *
 * @param offset where the first panel begins
 * @param depth rows of a panel; a product may use the first of them alone
 */
public record Panels(float[] data, int offset, int depth) {

  private static final VectorSpecies<Float> S = Kernels.SPECIES;

  private static final int V = S.length();

  private static final int ROWS = 32;

  /** Columns of a panel: two vectors. */
  public static final int COLUMNS = 2 * V;

  /** Floats that a matrix of k × n takes. */
  public static int size(int k, int n) {
    return Math.multiplyExact(k, (n + COLUMNS - 1) / COLUMNS * COLUMNS);
  }

  /** Where row p of the panel of column j begins; j is a multiple of {@link #COLUMNS}. */
  public int at(int j, int p) {
    return offset + j * depth + p * COLUMNS;
  }

  /**
   * Lays a matrix out.
   *
   * @param b k × n; one of its strides is 1
   * @param n a multiple of 16 if the column stride is 1
   * @param into has room for {@link #size}
   */
  public static Panels pack(View b, int k, int n, float[] into, int offset) {
    Panels panels = new Panels(into, offset, k);
    if (b.columnStride() == 1) {
      copy(b, k, n, panels);
    } else {
      turn(b, k, n, panels);
    }
    return panels;
  }

  /** A few rows at a time, so that one page of memory after another is done with. */
  private static void copy(View b, int k, int n, Panels into) {
    for (int p0 = 0; p0 < k; p0 += ROWS) {
      int rows = Math.min(ROWS, k - p0);
      for (int j = 0; j < n; j += COLUMNS) {
        int from = b.offset() + p0 * b.rowStride() + j;
        copy(b.data(), from, b.rowStride(), into.data, into.at(j, p0), rows, n - j > V);
      }
    }
  }

  private static void copy(
      float[] b, int from, int stride, float[] into, int at, int rows, boolean two) {
    for (int p = 0; p < rows; p++) {
      FloatVector.fromArray(S, b, from + p * stride).intoArray(into, at + p * COLUMNS);
      if (two) {
        FloatVector.fromArray(S, b, from + p * stride + V).intoArray(into, at + p * COLUMNS + V);
      }
    }
  }

  private static void turn(View b, int k, int n, Panels into) {
    for (int j = 0; j < n; j++) {
      int from = b.offset() + j * b.columnStride();
      int at = into.at(j / COLUMNS * COLUMNS, 0) + j % COLUMNS;
      turn(b.data(), from, into.data, at, k);
    }
  }

  private static void turn(float[] b, int from, float[] into, int at, int k) {
    for (int p = 0; p < k; p++) {
      into[at + p * COLUMNS] = b[from + p];
    }
  }
}
