package org.vstar.model.engine.vector;

import java.util.HashMap;
import java.util.Map;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.Panels;
import org.vstar.model.weights.FlatTensors;
import org.vstar.model.weights.FlatTensors.Slice;

/**
 * The matrices of a flat vector as {@link Panels}, straight and turned. Each is laid out when it is
 * first needed, and again after a change.
 */
final class WeightPanels {

  private final Map<Slice, Matrix> straight = new HashMap<>();
  private final Map<Slice, Matrix> turned = new HashMap<>();

  WeightPanels(float[] values, FlatTensors tensors) {
    for (Slice w : tensors.slices()) {
      View rows = View.rows(values, w.offset(), w.columns());
      View columns = View.transposed(values, w.offset(), w.columns());
      straight.put(w, new Matrix(rows, w.rows(), w.columns()));
      turned.put(w, new Matrix(columns, w.columns(), w.rows()));
    }
  }

  private static final class Matrix {
    private final View view;
    private final int rows;
    private final int columns;
    private float[] data;
    private boolean current;

    Matrix(View view, int rows, int columns) {
      this.view = view;
      this.rows = rows;
      this.columns = columns;
    }

    synchronized Panels panels() {
      if (data == null) {
        data = new float[Panels.size(rows, columns)];
      }
      if (!current) {
        Panels.pack(view, rows, columns, data, 0);
        current = true;
      }
      return new Panels(data, 0, rows);
    }

    synchronized void changed() {
      current = false;
    }
  }

  /** A matrix as it lies in the vector. */
  Panels of(Slice matrix) {
    return straight.get(matrix).panels();
  }

  /** Its transpose, of which the rows of the matrix are the columns: a multiple of 16. */
  Panels turned(Slice matrix) {
    return turned.get(matrix).panels();
  }

  /** Must be called after the values were changed and before the next product. */
  void changed() {
    straight.values().forEach(Matrix::changed);
    turned.values().forEach(Matrix::changed);
  }
}
