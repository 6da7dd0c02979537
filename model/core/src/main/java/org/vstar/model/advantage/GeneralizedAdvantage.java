package org.vstar.model.advantage;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;

/**
 * Generalised advantage estimation over tokens (arXiv 1506.02438, equation 16):
 *
 * <pre>
 * δ_t = r_t + γ V_{t+1} − V_t
 * A_t = δ_t + γλ A_{t+1}
 * </pre>
 *
 * <p>The value behind the last token is 0.
 *
 * @param gamma γ, 0 to 1
 * @param lambda λ, 0 to 1
 * @param rewardKlWeight what ln π/π_ref of a token is multiplied with before it is taken off its
 *     reward, 0 or more
 * @param whiten how the advantages are whitened; null for A_t as it is
 * @param observations what the environment's tokens between two answers are: {@code skip} passes
 *     them over; {@code zero} takes them for steps of reward 0 and value 0
 */
@Group
public record GeneralizedAdvantage(
    @Default("1.0") double gamma,
    @Default("1.0") double lambda,
    @Default("0.0") double rewardKlWeight,
    @Default("{}") Whitening whiten,
    @Default("skip") Observations observations) {

  /** What the environment's tokens between two answers are. */
  public enum Observations {
    /** Passed over: the next value is that of the next answer's first token. */
    @JsonProperty("skip")
    SKIP,
    /** Steps of reward 0 and value 0, as in OpenRLHF. */
    @JsonProperty("zero")
    ZERO;

    String word() {
      return this == SKIP ? "skip" : "zero";
    }
  }

  /** Checks the ranges. */
  public GeneralizedAdvantage {
    InvalidInputException.requireProbability("gamma", gamma);
    InvalidInputException.requireProbability("lambda", lambda);
    InvalidInputException.require(
        rewardKlWeight >= 0, "rewardKlWeight", rewardKlWeight, "0 or more");
  }

  /**
   * Estimates.
   *
   * @param rewards of each agent token
   * @param values V of the state in which each agent token was written
   * @param observed how many tokens the environment wrote behind each agent token
   * @param masked trajectories that are left out of whitening's mean and variance
   */
  Estimate of(double[][] rewards, double[][] values, int[][] observed, boolean[] masked) {
    double[][] advantages = new double[rewards.length][];
    for (int i = 0; i < rewards.length; i++) {
      advantages[i] = advantages(rewards[i], values[i], observed[i]);
    }
    return Estimate.of(advantages, values, whiten, masked);
  }

  private double[] advantages(double[] rewards, double[] values, int[] observed) {
    double[] advantages = new double[rewards.length];
    double nextValue = 0;
    double nextAdvantage = 0;
    for (int t = rewards.length - 1; t >= 0; t--) {
      if (observations == Observations.ZERO) {
        for (int o = 0; o < observed[t]; o++) {
          nextAdvantage = gamma * nextValue + gamma * lambda * nextAdvantage;
          nextValue = 0;
        }
      }
      double delta = rewards[t] + gamma * nextValue - values[t];
      nextAdvantage = delta + gamma * lambda * nextAdvantage;
      nextValue = values[t];
      advantages[t] = nextAdvantage;
    }
    return advantages;
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("generalized-advantage", 1)
        .with("gamma", gamma)
        .with("lambda", lambda)
        .with("rewardKlWeight", rewardKlWeight)
        .with("whiten", whiten == null ? null : whiten.canonical())
        .with("observations", observations.word());
  }
}
