package org.vstar.model.engine.vector;

import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.MatrixProduct;

/**
 * Brings the singular values of a matrix near 1 by five steps of a Newton–Schulz iteration whose
 * polynomial rises steeply from 0 (Jordan et al. 2024, kellerjordan.github.io/posts/muon). Those
 * above a two-hundredth of the matrix's norm become 0.68 to 1.14; smaller ones grow up to 485-fold.
 * Singular vectors stay. One per thread.
 */
final class Orthogonalization {

  private static final int STEPS = 5;

  /** X becomes a·X + b·(XXᵀ)X + c·(XXᵀ)²X. */
  private static final float A = 3.4445f;

  private static final float B = -4.7750f;
  private static final float C = 2.0315f;

  /** Keeps a matrix of zeros. */
  private static final double TINY = 1e-7;

  private final MatrixProduct product = new MatrixProduct();

  /**
   * Orthogonalizes in place.
   *
   * @param x rows × columns, one row behind the other; both are multiples of 16, and columns at
   *     least as many as rows
   */
  void orthogonalize(float[] x, int rows, int columns) {
    double norm = Math.sqrt(Kernels.dot(x, 0, x, 0, rows * columns));
    Kernels.scale((float) (1 / (norm + TINY)), x, 0, rows * columns);
    float[] gram = new float[rows * rows];
    float[] polynomial = new float[rows * rows];
    float[] added = new float[rows * columns];
    for (int step = 0; step < STEPS; step++) {
      View matrix = View.rows(x, 0, columns);
      multiply(matrix, View.transposed(x, 0, columns), gram, rows, rows, columns);
      View square = View.rows(gram, 0, rows);
      multiply(square, square, polynomial, rows, rows, rows);
      Kernels.scale(C, polynomial, 0, rows * rows);
      Kernels.addScaled(B, gram, 0, polynomial, 0, rows * rows);
      multiply(View.rows(polynomial, 0, rows), matrix, added, rows, columns, rows);
      Kernels.scale(A, x, 0, rows * columns);
      Kernels.addScaled(1, added, 0, x, 0, rows * columns);
    }
  }

  private void multiply(View a, View b, float[] into, int m, int n, int k) {
    product.multiply(a, b, View.rows(into, 0, n), m, n, k, false);
  }
}
