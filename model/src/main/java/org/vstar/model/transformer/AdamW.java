package org.vstar.model.transformer;

import org.vstar.model.transformer.ParameterLayout.Tensor;

/** AdamW (arXiv 1711.05101) on a flat vector of parameters; biases and gains are not decayed. */
public final class AdamW {

  private final ParameterLayout layout;
  private final double beta1;
  private final double beta2;
  private final double epsilon;
  private final double weightDecay;
  private final float[] mean;
  private final float[] square;
  private int steps;

  public AdamW(
      ParameterLayout layout, double beta1, double beta2, double epsilon, double weightDecay) {
    this.layout = layout;
    this.beta1 = beta1;
    this.beta2 = beta2;
    this.epsilon = epsilon;
    this.weightDecay = weightDecay;
    this.mean = new float[layout.size()];
    this.square = new float[layout.size()];
  }

  /** Takes one step. */
  public void step(float[] weights, float[] gradient, double rate) {
    steps++;
    double root = Math.sqrt(1 - StrictMath.pow(beta2, steps));
    double stepSize = rate * root / (1 - StrictMath.pow(beta1, steps));
    for (Tensor t : layout.tensors()) {
      double decay = t.isMatrix() ? 1 - rate * weightDecay : 1;
      Kernels.adamw(
          weights,
          gradient,
          mean,
          square,
          t.offset(),
          t.size(),
          (float) beta1,
          (float) beta2,
          (float) stepSize,
          (float) (epsilon * root),
          (float) decay);
    }
  }

  /** Running mean of the gradient, for checkpoints; not a copy. */
  public float[] mean() {
    return mean;
  }

  /** Running mean of the squared gradient, for checkpoints; not a copy. */
  public float[] square() {
    return square;
  }

  /** Steps taken. */
  public int steps() {
    return steps;
  }

  /** Goes back to where a checkpoint was. */
  public void restore(int stepsTaken, float[] savedMean, float[] savedSquare) {
    steps = stepsTaken;
    System.arraycopy(savedMean, 0, mean, 0, mean.length);
    System.arraycopy(savedSquare, 0, square, 0, square.length);
  }
}
