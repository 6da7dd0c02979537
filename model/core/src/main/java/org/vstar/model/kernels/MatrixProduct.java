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

  /** Rows of a tile, as many as the processor has registers for: 32 of 512 bits, 16 of 256. */
  private static final int ROWS = V > 8 ? 8 : 4;

  /** Depth of what a tile sees of a panel at once, which stays in a near cache. */
  private static final int DEPTH = 128;

  /** Rows of A that meet all of B while they stay in the second cache; a multiple of any tile's. */
  private static final int BLOCK = 256;

  /** From row to row of A's copy: not a power of two, which would share few cache lines. */
  private static final int LDA = DEPTH + 16;

  private float[] packed = new float[0];
  private float[] a = new float[0];

  // The part of a product that is under way.
  private float[] b;
  private float[] c;
  private int ldc;
  private int depth;
  private boolean from;

  /**
   * C = A·B, or C += A·B.
   *
   * @param a m × k; one of its strides is 1
   * @param b k × n; one of its strides is 1
   * @param c m × n, unit column stride
   * @param n a multiple of 16
   */
  public void multiply(View a, View b, View c, int m, int n, int k, boolean add) {
    if (packed.length < Panels.size(Math.min(k, DEPTH), n)) {
      packed = new float[Panels.size(Math.min(k, DEPTH), n)];
    }
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
      int some = Math.min(DEPTH, k - k0);
      Panels panels = Panels.pack(b.from(k0, 0), some, n, packed, 0);
      multiply(a.from(0, k0), panels, c, m, n, some, add || k0 > 0);
    }
  }

  /** As the other, with B laid out already. */
  public void multiply(View a, Panels b, View c, int m, int n, int k, boolean add) {
    this.b = b.data();
    this.c = c.data();
    ldc = c.rowStride();
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
      depth = Math.min(DEPTH, k - k0);
      from = add || k0 > 0;
      for (int i0 = 0; i0 < m; i0 += BLOCK) {
        int rows = Math.min(BLOCK, m - i0);
        copy(a.from(i0, k0), rows);
        for (int j = 0; j < n; j += Panels.COLUMNS) {
          panel(rows, b.at(j, k0), c.offset() + i0 * ldc + j, n - j > V);
        }
      }
    }
  }

  /** Copies the first rows of a view, turned if need be, and the last up to a whole tile. */
  private void copy(View some, int rows) {
    int whole = (rows + ROWS - 1) / ROWS * ROWS;
    if (a.length < whole * LDA) {
      a = new float[whole * LDA];
    }
    if (some.columnStride() == 1) {
      for (int i = 0; i < rows; i++) {
        System.arraycopy(some.data(), some.offset() + i * some.rowStride(), a, i * LDA, depth);
      }
    } else {
      for (int p = 0; p < depth; p += 4) {
        turn(some.data(), some.offset() + p * some.columnStride(), some.columnStride(), p, rows);
      }
    }
    for (int i = rows; i < whole; i++) {
      System.arraycopy(a, (rows - 1) * LDA, a, i * LDA, depth);
    }
  }

  private void turn(float[] data, int at, int stride, int p, int rows) {
    float[] into = a;
    if (p + 4 > depth) {
      for (int q = p; q < depth; q++) {
        for (int i = 0; i < rows; i++) {
          into[i * LDA + q] = data[at + (q - p) * stride + i];
        }
      }
      return;
    }
    int second = at + stride;
    int third = second + stride;
    int fourth = third + stride;
    for (int i = 0; i < rows; i++) {
      into[i * LDA + p] = data[at + i];
      into[i * LDA + p + 1] = data[second + i];
      into[i * LDA + p + 2] = data[third + i];
      into[i * LDA + p + 3] = data[fourth + i];
    }
  }

  /** All rows of a block by one panel. */
  private void panel(int rows, int bp, int cp, boolean two) {
    if (rows == 1) {
      row(bp, cp, two);
      return;
    }
    for (int i = 0; i < rows; i += ROWS) {
      int last = Math.min(ROWS, rows - i) - 1;
      if (ROWS == 8 && last >= 4) {
        tile8(i * LDA, bp, cp + i * ldc, last, two);
      } else {
        tile4(i * LDA, bp, cp + i * ldc, last, two);
      }
    }
  }

  // In a tile with too few rows, rows behind the last are the last once more: computed and stored
  // again, with the same bits.

  private static FloatVector load(boolean is, float[] data, int at) {
    return is ? FloatVector.fromArray(S, data, at) : FloatVector.zero(S);
  }

  private void row(int bp, int c0, boolean two) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = this.c;
    FloatVector c00 = load(from, c, c0);
    FloatVector c01 = load(from && two, c, c0 + V);
    int depth = this.depth;
    for (int p = 0; p < depth; p++) {
      FloatVector x = FloatVector.broadcast(S, a[p]);
      c00 = x.fma(FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS), c00);
      c01 = x.fma(FloatVector.fromArray(S, b, bp + p * Panels.COLUMNS + V), c01);
    }
    c00.intoArray(c, c0);
    if (two) {
      c01.intoArray(c, c0 + V);
    }
  }

  private void tile4(int a0, int bp, int c0, int last, boolean two) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = this.c;
    int c1 = c0 + Math.min(1, last) * ldc;
    int c2 = c0 + Math.min(2, last) * ldc;
    int c3 = c0 + Math.min(3, last) * ldc;
    boolean both = from && two;
    FloatVector c00 = load(from, c, c0);
    FloatVector c10 = load(from, c, c1);
    FloatVector c20 = load(from, c, c2);
    FloatVector c30 = load(from, c, c3);
    FloatVector c01 = load(both, c, c0 + V);
    FloatVector c11 = load(both, c, c1 + V);
    FloatVector c21 = load(both, c, c2 + V);
    FloatVector c31 = load(both, c, c3 + V);
    int depth = this.depth;
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
    c10.intoArray(c, c1);
    c20.intoArray(c, c2);
    c30.intoArray(c, c3);
    if (two) {
      c01.intoArray(c, c0 + V);
      c11.intoArray(c, c1 + V);
      c21.intoArray(c, c2 + V);
      c31.intoArray(c, c3 + V);
    }
  }

  private void tile8(int a0, int bp, int c0, int last, boolean two) {
    float[] a = this.a;
    float[] b = this.b;
    float[] c = this.c;
    int c1 = c0 + 1 * ldc;
    int c2 = c0 + 2 * ldc;
    int c3 = c0 + 3 * ldc;
    int c4 = c0 + 4 * ldc;
    int c5 = c0 + Math.min(5, last) * ldc;
    int c6 = c0 + Math.min(6, last) * ldc;
    int c7 = c0 + Math.min(7, last) * ldc;
    boolean both = from && two;
    FloatVector c00 = load(from, c, c0);
    FloatVector c10 = load(from, c, c1);
    FloatVector c20 = load(from, c, c2);
    FloatVector c30 = load(from, c, c3);
    FloatVector c40 = load(from, c, c4);
    FloatVector c50 = load(from, c, c5);
    FloatVector c60 = load(from, c, c6);
    FloatVector c70 = load(from, c, c7);
    FloatVector c01 = load(both, c, c0 + V);
    FloatVector c11 = load(both, c, c1 + V);
    FloatVector c21 = load(both, c, c2 + V);
    FloatVector c31 = load(both, c, c3 + V);
    FloatVector c41 = load(both, c, c4 + V);
    FloatVector c51 = load(both, c, c5 + V);
    FloatVector c61 = load(both, c, c6 + V);
    FloatVector c71 = load(both, c, c7 + V);
    int depth = this.depth;
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
    c10.intoArray(c, c1);
    c20.intoArray(c, c2);
    c30.intoArray(c, c3);
    c40.intoArray(c, c4);
    c50.intoArray(c, c5);
    c60.intoArray(c, c6);
    c70.intoArray(c, c7);
    if (two) {
      c01.intoArray(c, c0 + V);
      c11.intoArray(c, c1 + V);
      c21.intoArray(c, c2 + V);
      c31.intoArray(c, c3 + V);
      c41.intoArray(c, c4 + V);
      c51.intoArray(c, c5 + V);
      c61.intoArray(c, c6 + V);
      c71.intoArray(c, c7 + V);
    }
  }
}
