package org.vstar.model.advantage;

/**
 * How much better a trajectory went than was to be expected: one number for all of the agent's
 * tokens, or one for each.
 *
 * @param ofTrajectory of the trajectory as a whole
 * @param ofTokens of each of the agent's tokens, in order; null where all have {@code ofTrajectory}
 */
public record Advantage(double ofTrajectory, float[] ofTokens) {

  /** The same for all tokens. */
  public static Advantage same(double ofTrajectory) {
    return new Advantage(ofTrajectory, null);
  }

  /** That of an agent token. */
  public double at(int token) {
    return ofTokens == null ? ofTrajectory : ofTokens[token];
  }
}
