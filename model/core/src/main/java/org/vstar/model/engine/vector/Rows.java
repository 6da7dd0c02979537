package org.vstar.model.engine.vector;

import java.util.Arrays;

/**
 * Some of the packed tokens of a pass.
 *
 * @param at which; each is larger than the one before
 * @param count how many of {@code at} count
 */
record Rows(int[] at, int count) {

  /** All of n tokens. */
  static Rows all(int n) {
    int[] at = new int[n];
    for (int t = 0; t < n; t++) {
      at[t] = t;
    }
    return new Rows(at, n);
  }

  /** The first of these that is token t or one behind it; {@code count} if there is none. */
  int firstFrom(int t) {
    int found = Arrays.binarySearch(at, 0, count, t);
    return found < 0 ? -found - 1 : found;
  }

  /** Copies these tokens' rows of a matrix, one behind the other. */
  void gather(float[] from, int width, float[] into) {
    for (int r = 0; r < count; r++) {
      System.arraycopy(from, at[r] * width, into, r * width, width);
    }
  }

  /**
   * Moves rows that stand one behind the other to where their tokens are, among n; all others
   * become 0.
   */
  void spread(float[] matrix, int width, int n) {
    int end = n;
    for (int r = count - 1; r >= 0; r--) {
      System.arraycopy(matrix, r * width, matrix, at[r] * width, width);
      Arrays.fill(matrix, (at[r] + 1) * width, end * width, 0);
      end = at[r];
    }
    Arrays.fill(matrix, 0, end * width, 0);
  }
}
