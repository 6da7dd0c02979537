package org.vstar.model.advantage;

import java.util.Arrays;
import java.util.List;

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

  /**
   * One for each token; of the trajectory as a whole it is their mean, 0 where there are none.
   *
   * @param ofTokens of each of the agent's tokens, in order
   */
  public static Advantage ofTokens(double[] ofTokens) {
    float[] each = new float[ofTokens.length];
    for (int t = 0; t < each.length; t++) {
      each[t] = (float) ofTokens[t];
    }
    return new Advantage(Arrays.stream(ofTokens).average().orElse(0), each);
  }

  /** One number for each trajectory of a step. */
  static List<Advantage> each(double[] ofTrajectories) {
    return Arrays.stream(ofTrajectories).mapToObj(Advantage::same).toList();
  }

  /** One number for each token of the trajectories of a step. */
  static List<Advantage> eachToken(double[][] ofTokens) {
    return Arrays.stream(ofTokens).map(Advantage::ofTokens).toList();
  }

  /** Whether it is 0 for every token, so that a loss which it multiplies has no gradient. */
  public boolean isZero() {
    if (ofTokens == null) {
      return ofTrajectory == 0;
    }
    for (float each : ofTokens) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }

  /** That of an agent token. */
  public double at(int token) {
    return ofTokens == null ? ofTrajectory : ofTokens[token];
  }
}
