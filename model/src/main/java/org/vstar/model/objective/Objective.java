package org.vstar.model.objective;

/** A loss of one trajectory, given what its task is worth. */
public sealed interface Objective permits Regression, Advantage {

  /**
   * A loss with its gradient.
   *
   * @param value the trajectory's loss
   * @param advantage r − V*, with whatever the objective subtracts and clamps
   * @param slopes d value / d ln π of each of the agent's tokens
   */
  record Loss(double value, double advantage, float[] slopes) {}

  /**
   * Computes the loss of one trajectory.
   *
   * @param logPi ln π of each of the agent's tokens; may be empty
   * @param logRef ln π_ref of the same tokens
   * @param reward the trajectory's return r(x,y)
   * @param vStar the estimate of V*(x)
   */
  Loss of(float[] logPi, float[] logRef, double reward, double vStar);
}
