package org.vstar.model.engine;

/**
 * The numbers of one step of AdamW (arXiv 1711.05101, algorithm 2), which engines apply to tensors
 * of their own: {@code m ← β₁m + (1−β₁)g}, {@code v ← β₂v + (1−β₂)g²}, {@code w ← kept·w −
 * stepSize·m/(√v + epsilon)}. That is the paper's {@code η·m̂/(√v̂ + ε)} with the corrections of m̂
 * and v̂ taken out of the tensors.
 *
 * @param stepSize {@code η·√(1−β₂ᵗ)/(1−β₁ᵗ)}
 * @param epsilon {@code ε·√(1−β₂ᵗ)}
 * @param kept what decay leaves of a matrix, {@code 1 − η·λ}; biases and gains are not decayed
 */
public record AdamWRule(double stepSize, double epsilon, double kept) {

  /** What the names of the running means m of gradients begin with. */
  public static final String MEAN = "mean.";

  /** What the names of the running means v of their squares begin with. */
  public static final String SQUARE = "square.";

  /**
   * The numbers of a step.
   *
   * @param t steps taken, this one included
   * @param rate the learning rate η
   */
  public static AdamWRule of(OptimizerConfig config, int t, double rate) {
    double root = Math.sqrt(1 - StrictMath.pow(config.adamBeta2(), t));
    return new AdamWRule(
        rate * root / (1 - StrictMath.pow(config.adamBeta1(), t)),
        config.epsilon() * root,
        1 - rate * config.weightDecay());
  }
}
