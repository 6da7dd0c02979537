package org.vstar.model.engine;

import org.vstar.common.Experimental;

/** Steps an engine's parameters: AdamW, or Muon and AdamW, as {@link OptimizerConfig} says. */
@Experimental
public interface Optimizer extends AutoCloseable {

  /**
   * Takes one step.
   *
   * @param rate learning rate of this step
   */
  void step(Gradient gradient, double rate);

  /** Steps taken. */
  int steps();

  /**
   * Both moments of each parameter, to be read before the next step: what a checkpoint needs
   * besides the steps.
   */
  TensorSource moments();

  /**
   * Goes back to where a checkpoint was taken.
   *
   * @throws org.vstar.common.InvalidInputException if a moment is missing or has another shape
   */
  void restore(int stepsTaken, TensorSource moments);

  @Override
  void close();
}
