package org.vstar.model.kernels;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.vstar.model.kernels.Kernels.View;

/**
 * The matrix product, with the widest vectors that the processor has, up to 512 bits. An element is
 * one chain of fused multiply-adds in the order of k, whatever the width and whatever the tile, so
 * that the bits are the same on all processors.
 *
 * <p>One per thread: it keeps the room in which it lays matrices out.
 *
 * <p>Everything in {@link Kernels} has vectors of this one width: with two widths in a process the
 * compiler loses sight of which one a sum has, and stores it through a box, at a twentieth of the
 * speed. For speed, too, rows of A are copied to a distance that is a constant: a tile then needs
 * one address for all of them, where one each would not fit the processor's registers, and the
 * compiler takes the checks of bounds out of the loop over k.
 */
public final class MatrixProduct {

  private static final VectorSpecies<Float> S = Kernels.SPECIES;

  private static final int V = S.length();

  /** Rows of a tile: its sums fit the processor's registers, 32 of 512 bits or 16 of 256. */
  private static final int ROWS = V > 8 ? 8 : 6;

  /** Depth of what a tile sees of a panel at once, which stays in the L1 cache. */
  private static final int DEPTH = 128;

  /** Rows of A that meet all of B while they stay in the L2 cache; a multiple of any tile's. */
  private static final int BLOCK = 120;

  /** Depth of A that stays there. */
  private static final int CHUNK = 3 * DEPTH;

  /** From row to row of A's copy: not a power of two, which would share few cache lines. */
  private static final int LDA = DEPTH + 16;

  private float[] packed = new float[0];
  private float[] a = new float[0];

  /**
   * A block's elements of one panel. Rows of C itself may lie a power of two apart, on pages of
   * their own: a tile would miss both the L1 cache and the TLB.
   */
  private final float[] sums = new float[BLOCK * Panels.COLUMNS];

  // The part of a product that is under way.
  private float[] b;
  private int depth;
  private boolean accumulate;

  /**
   * C = A·B, or C += A·B.
   *
   * @param a m × k; one of its strides is 1
   * @param b k × n; one of its strides is 1
   * @param c m × n, unit column stride
   * @param n a multiple of 16
   * @param k 1 or more; 0, too, where it is added
   * @throws IllegalArgumentException for another n or k
   */
  public void multiply(View a, View b, View c, int m, int n, int k, boolean add) {
    requireSides(n, k, add);
    if (packed.length < Panels.size(Math.min(k, CHUNK), n)) {
      packed = new float[Panels.size(Math.min(k, CHUNK), n)];
    }
    for (int k0 = 0; k0 < k; k0 += CHUNK) {
      int some = Math.min(CHUNK, k - k0);
      Panels panels = Panels.pack(b.from(k0, 0), some, n, packed, 0);
      multiply(a.from(0, k0), panels, c, m, n, some, add || k0 > 0);
    }
  }

  private static void requireSides(int n, int k, boolean add) {
    if (n % 16 != 0 || k < 1 && !add) {
      throw new IllegalArgumentException(
          "n is " + n + " and k is " + k + ", expected a multiple of 16 and 1 or more");
    }
  }

  /** As the other, with B laid out already. */
  public void multiply(View a, Panels b, View c, int m, int n, int k, boolean add) {
    requireSides(n, k, add);
    this.b = b.data();
    for (int i0 = 0; i0 < m; i0 += BLOCK) {
      int rows = Math.min(BLOCK, m - i0);
      for (int k0 = 0; k0 < k; k0 += CHUNK) {
        int some = Math.min(CHUNK, k - k0);
        block(a.from(i0, k0), rows, some);
        for (int j = 0; j < n; j += Panels.COLUMNS) {
          int at = c.offset() + i0 * c.rowStride() + j;
          panel(rows, some, b.at(j, k0), c, at, n - j > V, add || k0 > 0);
        }
      }
    }
  }

  private static int whole(int rows) {
    return (rows + ROWS - 1) / ROWS * ROWS;
  }

  /** Copies a block, a slice of {@link #DEPTH} behind another. */
  private void block(View some, int rows, int k) {
    int size = whole(rows) * LDA;
    int slices = (k + DEPTH - 1) / DEPTH;
    if (a.length < slices * size) {
      a = new float[slices * size];
    }
    for (int slice = 0; slice < slices; slice++) {
      depth = Math.min(DEPTH, k - slice * DEPTH);
      copy(some.from(0, slice * DEPTH), rows, slice * size);
    }
  }

  /** Copies the first rows of a view, transposed if need be, and the last up to a whole tile. */
  private void copy(View some, int rows, int at) {
    if (some.columnStride() == 1) {
      for (int i = 0; i < rows; i++) {
        System.arraycopy(some.data(), some.offset() + i * some.rowStride(), a, at + i * LDA, depth);
      }
    } else {
      for (int p = 0; p < depth; p += 4) {
        int from = some.offset() + p * some.columnStride();
        transpose(some.data(), from, some.columnStride(), at + p, Math.min(4, depth - p), rows);
      }
    }
    for (int i = rows; i < whole(rows); i++) {
      System.arraycopy(a, at + (rows - 1) * LDA, a, at + i * LDA, depth);
    }
  }

  /** Up to four columns. */
  private void transpose(float[] data, int from, int stride, int at, int columns, int rows) {
    float[] into = a;
    if (columns < 4) {
      for (int q = 0; q < columns; q++) {
        for (int i = 0; i < rows; i++) {
          into[at + i * LDA + q] = data[from + q * stride + i];
        }
      }
      return;
    }
    int second = from + stride;
    int third = second + stride;
    int fourth = third + stride;
    for (int i = 0; i < rows; i++) {
      into[at + i * LDA] = data[from + i];
      into[at + i * LDA + 1] = data[second + i];
      into[at + i * LDA + 2] = data[third + i];
      into[at + i * LDA + 3] = data[fourth + i];
    }
  }

  /** All rows of a block by one panel. */
  private void panel(int rows, int k, int bp, View c, int at, boolean secondVector, boolean add) {
    if (add) {
      take(c.data(), at, c.rowStride(), rows, secondVector);
    }
    accumulate = add;
    int size = whole(rows) * LDA;
    for (int k0 = 0, slice = 0; k0 < k; k0 += DEPTH, slice++) {
      depth = Math.min(DEPTH, k - k0);
      tiles(rows, slice * size, bp + k0 * Panels.COLUMNS);
      accumulate = true;
    }
    put(c.data(), at, c.rowStride(), rows, secondVector);
  }

  private void tiles(int rows, int slice, int bp) {
    if (rows == 1) {
      row(slice, bp, 0);
      return;
    }
    int i = 0;
    while (i < rows) {
      int left = rows - i;
      // The last eight are two fours rather than six and two.
      if (left <= 4 || (left > ROWS && left <= 8)) {
        tile4(slice + i * LDA, bp, i * Panels.COLUMNS);
        i += 4;
        continue;
      }
      if (ROWS == 8) {
        tile8(slice + i * LDA, bp, i * Panels.COLUMNS);
      } else {
        tile6(slice + i * LDA, bp, i * Panels.COLUMNS);
      }
      i += ROWS;
    }
  }

  private void take(float[] c, int at, int stride, int rows, boolean secondVector) {
    float[] sums = this.sums;
    for (int i = 0; i < rows; i++) {
      FloatVector.fromArray(S, c, at + i * stride).intoArray(sums, i * Panels.COLUMNS);
      if (secondVector) {
        FloatVector.fromArray(S, c, at + i * stride + V).intoArray(sums, i * Panels.COLUMNS + V);
      }
    }
  }

  private void put(float[] c, int at, int stride, int rows, boolean secondVector) {
    float[] sums = this.sums;
    for (int i = 0; i < rows; i++) {
      FloatVector.fromArray(S, sums, i * Panels.COLUMNS).intoArray(c, at + i * stride);
      if (secondVector) {
        FloatVector.fromArray(S, sums, i * Panels.COLUMNS + V).intoArray(c, at + i * stride + V);
      }
    }
  }

  // The constant bound in the loops over k tells the compiler that they are short. A loop that may
  // be long has a safepoint, for which the sums would be kept in memory.

  private static FloatVector load(boolean is, float[] data, int at) {
    return is ? FloatVector.fromArray(S, data, at) : FloatVector.zero(S);
  }

  private void row(int a0, int bp, int c0) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = sums;
    FloatVector c00 = load(accumulate, c, c0);
    FloatVector c01 = load(accumulate, c, c0 + V);
    int depth = Math.min(this.depth, DEPTH);
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS);
      FloatVector b1 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS + V);
      FloatVector x = FloatVector.broadcast(S, a[a0 + p]);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
    }
    c00.intoArray(c, c0);
    c01.intoArray(c, c0 + V);
  }

  private void tile4(int a0, int bp, int c0) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = sums;
    FloatVector c00 = load(accumulate, c, c0);
    FloatVector c10 = load(accumulate, c, c0 + 2 * V);
    FloatVector c20 = load(accumulate, c, c0 + 4 * V);
    FloatVector c30 = load(accumulate, c, c0 + 6 * V);
    FloatVector c01 = load(accumulate, c, c0 + V);
    FloatVector c11 = load(accumulate, c, c0 + 3 * V);
    FloatVector c21 = load(accumulate, c, c0 + 5 * V);
    FloatVector c31 = load(accumulate, c, c0 + 7 * V);
    int depth = Math.min(this.depth, DEPTH);
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS);
      FloatVector b1 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS + V);
      FloatVector x = FloatVector.broadcast(S, a[a0 + p]);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = FloatVector.broadcast(S, a[a0 + LDA + p]);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = FloatVector.broadcast(S, a[a0 + 2 * LDA + p]);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = FloatVector.broadcast(S, a[a0 + 3 * LDA + p]);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
    }
    c00.intoArray(c, c0);
    c10.intoArray(c, c0 + 2 * V);
    c20.intoArray(c, c0 + 4 * V);
    c30.intoArray(c, c0 + 6 * V);
    c01.intoArray(c, c0 + V);
    c11.intoArray(c, c0 + 3 * V);
    c21.intoArray(c, c0 + 5 * V);
    c31.intoArray(c, c0 + 7 * V);
  }

  private void tile6(int a0, int bp, int c0) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = sums;
    FloatVector c00 = load(accumulate, c, c0);
    FloatVector c10 = load(accumulate, c, c0 + 2 * V);
    FloatVector c20 = load(accumulate, c, c0 + 4 * V);
    FloatVector c30 = load(accumulate, c, c0 + 6 * V);
    FloatVector c40 = load(accumulate, c, c0 + 8 * V);
    FloatVector c50 = load(accumulate, c, c0 + 10 * V);
    FloatVector c01 = load(accumulate, c, c0 + V);
    FloatVector c11 = load(accumulate, c, c0 + 3 * V);
    FloatVector c21 = load(accumulate, c, c0 + 5 * V);
    FloatVector c31 = load(accumulate, c, c0 + 7 * V);
    FloatVector c41 = load(accumulate, c, c0 + 9 * V);
    FloatVector c51 = load(accumulate, c, c0 + 11 * V);
    int depth = Math.min(this.depth, DEPTH);
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS);
      FloatVector b1 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS + V);
      FloatVector x = FloatVector.broadcast(S, a[a0 + p]);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = FloatVector.broadcast(S, a[a0 + LDA + p]);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = FloatVector.broadcast(S, a[a0 + 2 * LDA + p]);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = FloatVector.broadcast(S, a[a0 + 3 * LDA + p]);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
      x = FloatVector.broadcast(S, a[a0 + 4 * LDA + p]);
      c40 = x.fma(b0, c40);
      c41 = x.fma(b1, c41);
      x = FloatVector.broadcast(S, a[a0 + 5 * LDA + p]);
      c50 = x.fma(b0, c50);
      c51 = x.fma(b1, c51);
    }
    c00.intoArray(c, c0);
    c10.intoArray(c, c0 + 2 * V);
    c20.intoArray(c, c0 + 4 * V);
    c30.intoArray(c, c0 + 6 * V);
    c40.intoArray(c, c0 + 8 * V);
    c50.intoArray(c, c0 + 10 * V);
    c01.intoArray(c, c0 + V);
    c11.intoArray(c, c0 + 3 * V);
    c21.intoArray(c, c0 + 5 * V);
    c31.intoArray(c, c0 + 7 * V);
    c41.intoArray(c, c0 + 9 * V);
    c51.intoArray(c, c0 + 11 * V);
  }

  private void tile8(int a0, int bp, int c0) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = sums;
    FloatVector c00 = load(accumulate, c, c0);
    FloatVector c10 = load(accumulate, c, c0 + 2 * V);
    FloatVector c20 = load(accumulate, c, c0 + 4 * V);
    FloatVector c30 = load(accumulate, c, c0 + 6 * V);
    FloatVector c40 = load(accumulate, c, c0 + 8 * V);
    FloatVector c50 = load(accumulate, c, c0 + 10 * V);
    FloatVector c60 = load(accumulate, c, c0 + 12 * V);
    FloatVector c70 = load(accumulate, c, c0 + 14 * V);
    FloatVector c01 = load(accumulate, c, c0 + V);
    FloatVector c11 = load(accumulate, c, c0 + 3 * V);
    FloatVector c21 = load(accumulate, c, c0 + 5 * V);
    FloatVector c31 = load(accumulate, c, c0 + 7 * V);
    FloatVector c41 = load(accumulate, c, c0 + 9 * V);
    FloatVector c51 = load(accumulate, c, c0 + 11 * V);
    FloatVector c61 = load(accumulate, c, c0 + 13 * V);
    FloatVector c71 = load(accumulate, c, c0 + 15 * V);
    int depth = Math.min(this.depth, DEPTH);
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS);
      FloatVector b1 = FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS + V);
      FloatVector x = FloatVector.broadcast(S, a[a0 + p]);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = FloatVector.broadcast(S, a[a0 + LDA + p]);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = FloatVector.broadcast(S, a[a0 + 2 * LDA + p]);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = FloatVector.broadcast(S, a[a0 + 3 * LDA + p]);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
      x = FloatVector.broadcast(S, a[a0 + 4 * LDA + p]);
      c40 = x.fma(b0, c40);
      c41 = x.fma(b1, c41);
      x = FloatVector.broadcast(S, a[a0 + 5 * LDA + p]);
      c50 = x.fma(b0, c50);
      c51 = x.fma(b1, c51);
      x = FloatVector.broadcast(S, a[a0 + 6 * LDA + p]);
      c60 = x.fma(b0, c60);
      c61 = x.fma(b1, c61);
      x = FloatVector.broadcast(S, a[a0 + 7 * LDA + p]);
      c70 = x.fma(b0, c70);
      c71 = x.fma(b1, c71);
    }
    c00.intoArray(c, c0);
    c10.intoArray(c, c0 + 2 * V);
    c20.intoArray(c, c0 + 4 * V);
    c30.intoArray(c, c0 + 6 * V);
    c40.intoArray(c, c0 + 8 * V);
    c50.intoArray(c, c0 + 10 * V);
    c60.intoArray(c, c0 + 12 * V);
    c70.intoArray(c, c0 + 14 * V);
    c01.intoArray(c, c0 + V);
    c11.intoArray(c, c0 + 3 * V);
    c21.intoArray(c, c0 + 5 * V);
    c31.intoArray(c, c0 + 7 * V);
    c41.intoArray(c, c0 + 9 * V);
    c51.intoArray(c, c0 + 11 * V);
    c61.intoArray(c, c0 + 13 * V);
    c71.intoArray(c, c0 + 15 * V);
  }
}
