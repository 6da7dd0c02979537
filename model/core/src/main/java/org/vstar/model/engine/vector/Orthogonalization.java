package org.vstar.model.engine.vector;

import org.vstar.model.engine.MuonRule;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.MatrixProduct;

/** The Newton–Schulz iteration of {@link MuonRule}. One per thread. */
final class Orthogonalization {

  private final MatrixProduct product = new MatrixProduct();

  /**
   * Orthogonalizes in place.
   *
   * @param x rows × columns, one row behind the other; both are multiples of 16, and columns at
   *     least as many as rows
   */
  void orthogonalize(float[] x, int rows, int columns) {
    double norm = Math.sqrt(Kernels.dot(x, 0, x, 0, rows * columns));
    Kernels.scale((float) (1 / (norm + MuonRule.TINY)), x, 0, rows * columns);
    float[] gram = new float[rows * rows];
    float[] polynomial = new float[rows * rows];
    float[] added = new float[rows * columns];
    for (int step = 0; step < MuonRule.STEPS; step++) {
      View matrix = View.rows(x, 0, columns);
      multiply(matrix, View.transposed(x, 0, columns), gram, rows, rows, columns);
      View square = View.rows(gram, 0, rows);
      multiply(square, square, polynomial, rows, rows, rows);
      Kernels.scale(MuonRule.C, polynomial, 0, rows * rows);
      Kernels.addScaled(MuonRule.B, gram, 0, polynomial, 0, rows * rows);
      multiply(View.rows(polynomial, 0, rows), matrix, added, rows, columns, rows);
      Kernels.scale(MuonRule.A, x, 0, rows * columns);
      Kernels.addScaled(1, added, 0, x, 0, rows * columns);
    }
  }

  private void multiply(View a, View b, float[] into, int m, int n, int k) {
    product.multiply(a, b, View.rows(into, 0, n), m, n, k, false);
  }
}
