package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.List;
import org.vstar.model.engine.AdamWRule;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;

/** {@link MuonRule} on a flat vector of parameters. One per thread. */
public final class Muon {

  /**
   * What is orthogonalized for itself: some columns of a slice.
   *
   * @param size of a step, in rates
   */
  private record Matrix(int offset, int stride, int rows, int columns, double size) {}

  private final OptimizerConfig config;
  private final double momentum;
  private final int size;
  private final List<Matrix> matrices = new ArrayList<>();
  private final List<Slice> others = new ArrayList<>();
  private final Orthogonalization orthogonalization = new Orthogonalization();

  /**
   * Muon for a transformer.
   *
   * @param vocabulary number of token ids
   * @param config Adam's betas and epsilon, and the momentum of matrices: the decay of the running
   *     mean of their gradients
   */
  public Muon(ModelConfig shape, int vocabulary, OptimizerConfig config) {
    this.config = config;
    this.momentum = config.momentum();
    ParameterLayout layout = new ParameterLayout(shape, vocabulary);
    this.size = layout.size();
    others.addAll(layout.flat().slices());
    for (int l = 0; l < shape.layers(); l++) {
      for (Projection p : Projection.values()) {
        add(layout, p, l, shape);
      }
    }
  }

  /** Padding makes a matrix no larger: it stays 0. */
  private void add(ParameterLayout layout, Projection p, int layer, ModelConfig shape) {
    Slice slice = layout.matrix(p, layer);
    others.remove(slice);
    matrices.add(
        new Matrix(
            slice.offset() + layout.column(p),
            slice.columns(),
            slice.rows(),
            layout.outputs(p),
            MuonRule.size(p.inputs(shape), p.outputs(shape))));
  }

  /** Number of parameters. */
  public int size() {
    return size;
  }

  /**
   * Turns a gradient into what is to be subtracted from the parameters. All three are as long as
   * these, and in their order.
   *
   * @param gradient becomes the step
   * @param mean running means of gradients, 0 before the first step; this updates them
   * @param square running means of their squares, 0 before the first step; this updates them where
   *     Adam steps
   * @param steps how many there were, this one included
   * @param rate of this step
   */
  public void step(float[] gradient, float[] mean, float[] square, int steps, double rate) {
    for (Matrix matrix : matrices) {
      step(matrix, gradient, mean, rate);
    }
    AdamWRule rule = AdamWRule.of(config, steps, rate);
    float[] moved = new float[gradient.length];
    for (Slice slice : others) {
      Kernels.adamw(
          moved,
          gradient,
          mean,
          square,
          slice.offset(),
          slice.size(),
          (float) config.adamBeta1(),
          (float) config.adamBeta2(),
          (float) rule.stepSize(),
          (float) rule.epsilon(),
          1);
      for (int i = slice.offset(); i < slice.offset() + slice.size(); i++) {
        gradient[i] = -moved[i];
      }
    }
  }

  /** With Nesterov's momentum. Wide matrices lie as they are, tall ones turned. */
  private void step(Matrix matrix, float[] gradient, float[] mean, double rate) {
    boolean tall = matrix.rows > matrix.columns;
    int across = Math.max(matrix.rows, matrix.columns);
    int down = Math.min(matrix.rows, matrix.columns);
    float[] x = new float[down * across];
    for (int i = 0; i < matrix.rows; i++) {
      for (int j = 0; j < matrix.columns; j++) {
        int at = matrix.offset + i * matrix.stride + j;
        double own = (1 - momentum) * gradient[at];
        mean[at] = (float) (momentum * mean[at] + own);
        x[tall ? j * across + i : i * across + j] = (float) (momentum * mean[at] + own);
      }
    }
    orthogonalization.orthogonalize(x, down, across);
    float scale = (float) (rate * matrix.size);
    for (int i = 0; i < matrix.rows; i++) {
      for (int j = 0; j < matrix.columns; j++) {
        gradient[matrix.offset + i * matrix.stride + j] =
            scale * x[tall ? j * across + i : i * across + j];
      }
    }
  }
}
