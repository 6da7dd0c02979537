package org.vstar.model.engine.vector;

import java.util.Arrays;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.weights.FlatTensors;

/** A gradient by the flat vector of what is trained. */
public final class VectorGradient implements Gradient {

  private final float[] values;

  private final FlatTensors flat;

  VectorGradient(FlatTensors flat) {
    this.flat = flat;
    this.values = new float[flat.size()];
  }

  @Override
  public TensorSource tensors() {
    return flat.source(values.clone(), "");
  }

  /** The values themselves, not a copy. */
  float[] values() {
    return values;
  }

  @Override
  public void clear() {
    Arrays.fill(values, 0);
  }

  @Override
  public double norm() {
    return norm(values);
  }

  /**
   * The L2 norm. It is summed in the order of the parameters, so that it does not depend on a
   * number of threads (as ND4J's own would).
   */
  static double norm(float[] gradient) {
    double squares = 0;
    for (float g : gradient) {
      squares += (double) g * g;
    }
    return Math.sqrt(squares);
  }

  @Override
  public void scale(double by) {
    scale(values, by);
  }

  static void scale(float[] gradient, double by) {
    float factor = (float) by;
    for (int i = 0; i < gradient.length; i++) {
      gradient[i] *= factor;
    }
  }

  /** Scales a gradient down to a norm of at most {@code maxNorm}. */
  public static void clip(float[] gradient, double maxNorm) {
    double norm = norm(gradient);
    if (norm > maxNorm) {
      scale(gradient, maxNorm / norm);
    }
  }

  void add(float[] other) {
    for (int i = 0; i < values.length; i++) {
      values[i] += other[i];
    }
  }

  @Override
  public void close() {
    // The array is the garbage collector's.
  }
}
