package org.vstar.model.engine.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;
import org.vstar.model.engine.vector.Kernels.View;

/**
 * The matrix product, with the widest vectors that the processor has, up to 512 bits. An element is
 * one chain of fused multiply-adds in the order of k, whatever the width and whatever the tile, so
 * that the bits are the same on all processors.
 *
 * <p>Everything in {@link Kernels} has vectors of this one width: with two widths in a process the
 * compiler loses sight of which one a sum has, and stores it through a box, at a twentieth of the
 * speed.
 */
final class MatrixProduct {

  private static final VectorSpecies<Float> S = Kernels.SPECIES;

  private static final int V = S.length();

  /** Columns of a tile: two vectors. */
  private static final int COLUMNS = 2 * V;

  private static final int TILE_ROWS = 4;

  /** Depth of a packed panel of B, which stays in a near cache while all rows of A meet it. */
  private static final int DEPTH = 256;

  private static final int PACK_FROM_ROWS = 32;

  private MatrixProduct() {}

  /** As {@link Kernels#multiply}. */
  static void multiply(View a, View b, View c, int m, int n, int k, boolean add) {
    boolean many = m >= PACK_FROM_ROWS;
    float[] panel = many ? new float[Math.min(k, DEPTH) * COLUMNS] : null;
    // Down the columns of A every number is in another line of the cache, and few of them fit.
    boolean turned = many && a.columnStride() != 1;
    int tiles = m / TILE_ROWS * TILE_ROWS;
    float[] packed = turned ? new float[tiles * Math.min(k, DEPTH)] : null;
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
      int depth = Math.min(DEPTH, k - k0);
      boolean from = add || k0 > 0;
      Rows rows = new Rows(a.data(), a.offset() + k0 * a.columnStride(), a.rowStride(), a, depth);
      if (turned) {
        pack(a, k0, tiles, depth, packed);
        rows = new Rows(packed, 0, depth, a, depth);
      }
      for (int j = 0; j < n; j += COLUMNS) {
        int columns = Math.min(COLUMNS, n - j);
        int bOff = b.offset() + k0 * b.rowStride() + j;
        if (panel == null) {
          column(rows, k0, b.data(), bOff, b.rowStride(), c, j, m, columns, from);
          continue;
        }
        for (int p = 0; p < depth; p++) {
          System.arraycopy(b.data(), bOff + p * b.rowStride(), panel, p * columns, columns);
        }
        column(rows, k0, panel, 0, columns, c, j, m, columns, from);
      }
    }
  }

  /**
   * Where tiles of A lie.
   *
   * @param perRow numbers between tiles for each row of a tile
   * @param whole all of A, for the rows behind the last tile
   */
  private record Rows(float[] data, int offset, int perRow, View whole, int depth) {
    boolean packed() {
      return data != whole.data();
    }

    int rowStride() {
      return packed() ? 1 : whole.rowStride();
    }

    int columnStride() {
      return packed() ? TILE_ROWS : whole.columnStride();
    }
  }

  /** Puts the numbers that a tile needs one after the other. */
  private static void pack(View a, int k0, int rows, int depth, float[] into) {
    for (int p = 0; p < depth; p++) {
      int at = a.offset() + (k0 + p) * a.columnStride();
      for (int i = 0; i < rows; i += TILE_ROWS) {
        int to = i * depth + p * TILE_ROWS;
        for (int r = 0; r < TILE_ROWS; r++) {
          into[to + r] = a.data()[at + (i + r) * a.rowStride()];
        }
      }
    }
  }

  /** All rows of some columns. */
  private static void column(
      Rows a,
      int k0,
      float[] b,
      int bOff,
      int ldb,
      View c,
      int j,
      int m,
      int columns,
      boolean from) {
    int ldc = c.rowStride();
    int i = 0;
    for (; i + TILE_ROWS <= m; i += TILE_ROWS) {
      int ap = a.offset + i * a.perRow;
      int to = c.offset() + i * ldc + j;
      if (columns == COLUMNS) {
        wide4(
            a.data,
            ap,
            a.rowStride(),
            a.columnStride(),
            b,
            bOff,
            ldb,
            c.data(),
            to,
            ldc,
            a.depth,
            from);
      } else {
        narrow4(
            a.data,
            ap,
            a.rowStride(),
            a.columnStride(),
            b,
            bOff,
            ldb,
            c.data(),
            to,
            ldc,
            a.depth,
            from);
      }
    }
    View w = a.whole;
    for (; i < m; i++) {
      int ap = w.offset() + i * w.rowStride() + k0 * w.columnStride();
      for (int half = 0; half < columns; half += V) {
        int to = c.offset() + i * ldc + j + half;
        narrow1(w.data(), ap, w.columnStride(), b, bOff + half, ldb, c.data(), to, a.depth, from);
      }
    }
  }

  /** Four rows of two vectors. */
  private static void wide4(
      float[] in,
      int ap,
      int ars,
      int acs,
      float[] b,
      int bp,
      int ldb,
      float[] out,
      int r0,
      int ldc,
      int depth,
      boolean from) {
    int r1 = r0 + ldc;
    int r2 = r1 + ldc;
    int r3 = r2 + ldc;
    FloatVector zero = FloatVector.zero(S);
    FloatVector c00 = from ? FloatVector.fromArray(S, out, r0) : zero;
    FloatVector c01 = from ? FloatVector.fromArray(S, out, r0 + V) : zero;
    FloatVector c10 = from ? FloatVector.fromArray(S, out, r1) : zero;
    FloatVector c11 = from ? FloatVector.fromArray(S, out, r1 + V) : zero;
    FloatVector c20 = from ? FloatVector.fromArray(S, out, r2) : zero;
    FloatVector c21 = from ? FloatVector.fromArray(S, out, r2 + V) : zero;
    FloatVector c30 = from ? FloatVector.fromArray(S, out, r3) : zero;
    FloatVector c31 = from ? FloatVector.fromArray(S, out, r3 + V) : zero;
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp);
      FloatVector b1 = FloatVector.fromArray(S, b, bp + V);
      FloatVector x = FloatVector.broadcast(S, in[ap]);
      c00 = x.fma(b0, c00);
      c01 = x.fma(b1, c01);
      x = FloatVector.broadcast(S, in[ap + ars]);
      c10 = x.fma(b0, c10);
      c11 = x.fma(b1, c11);
      x = FloatVector.broadcast(S, in[ap + 2 * ars]);
      c20 = x.fma(b0, c20);
      c21 = x.fma(b1, c21);
      x = FloatVector.broadcast(S, in[ap + 3 * ars]);
      c30 = x.fma(b0, c30);
      c31 = x.fma(b1, c31);
      ap += acs;
      bp += ldb;
    }
    c00.intoArray(out, r0);
    c01.intoArray(out, r0 + V);
    c10.intoArray(out, r1);
    c11.intoArray(out, r1 + V);
    c20.intoArray(out, r2);
    c21.intoArray(out, r2 + V);
    c30.intoArray(out, r3);
    c31.intoArray(out, r3 + V);
  }

  /** Four rows of one vector. */
  private static void narrow4(
      float[] in,
      int ap,
      int ars,
      int acs,
      float[] b,
      int bp,
      int ldb,
      float[] out,
      int r0,
      int ldc,
      int depth,
      boolean from) {
    int r1 = r0 + ldc;
    int r2 = r1 + ldc;
    int r3 = r2 + ldc;
    FloatVector zero = FloatVector.zero(S);
    FloatVector c00 = from ? FloatVector.fromArray(S, out, r0) : zero;
    FloatVector c10 = from ? FloatVector.fromArray(S, out, r1) : zero;
    FloatVector c20 = from ? FloatVector.fromArray(S, out, r2) : zero;
    FloatVector c30 = from ? FloatVector.fromArray(S, out, r3) : zero;
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp);
      FloatVector x = FloatVector.broadcast(S, in[ap]);
      c00 = x.fma(b0, c00);
      x = FloatVector.broadcast(S, in[ap + ars]);
      c10 = x.fma(b0, c10);
      x = FloatVector.broadcast(S, in[ap + 2 * ars]);
      c20 = x.fma(b0, c20);
      x = FloatVector.broadcast(S, in[ap + 3 * ars]);
      c30 = x.fma(b0, c30);
      ap += acs;
      bp += ldb;
    }
    c00.intoArray(out, r0);
    c10.intoArray(out, r1);
    c20.intoArray(out, r2);
    c30.intoArray(out, r3);
  }

  /** One row of one vector. */
  private static void narrow1(
      float[] in,
      int ap,
      int acs,
      float[] b,
      int bp,
      int ldb,
      float[] out,
      int r0,
      int depth,
      boolean from) {
    FloatVector zero = FloatVector.zero(S);
    FloatVector c00 = from ? FloatVector.fromArray(S, out, r0) : zero;
    for (int p = 0; p < depth; p++) {
      FloatVector b0 = FloatVector.fromArray(S, b, bp);
      FloatVector x = FloatVector.broadcast(S, in[ap]);
      c00 = x.fma(b0, c00);
      ap += acs;
      bp += ldb;
    }
    c00.intoArray(out, r0);
  }
}
