package org.vstar.model.value;

import java.util.Arrays;
import org.apache.commons.math3.distribution.BetaDistribution;

/**
 * Where V* of a task lies with a probability of 95 %, given its samples. The standard error of the
 * delta method is no error bar for few samples: a task that never succeeded in eight has none.
 *
 * <p>The mean weight E exp(r/β₁), of which V* is the logarithm, has a posterior: the Bayesian
 * bootstrap (Rubin 1981), in which each sample counts one. One more is counted at the ends of the
 * returns that occur in the run, since a task's own few samples do not show what it may still give:
 * two thirds of it at the lower end for the lower bound, at the upper end for the upper. The first
 * two moments are those of a Beta distribution, whose quantiles are the bounds. For returns of two
 * values this is the Beta posterior itself. No random number is drawn.
 *
 * @param low the 2.5 % quantile, at most the estimate
 * @param high the 97.5 % quantile, at least the estimate
 */
public record ValueInterval(double low, double high) {

  /** What the end that a bound faces counts, of one; chosen by coverage: halves cover 87 %. */
  static final double FACED = 2.0 / 3;

  private static final double TAIL = 0.025;

  /** Of a quantile, of which the logarithm is taken. */
  private static final double ACCURACY = 1e-15;

  /** How returns from {@code lowest} to {@code highest} weigh, brought to 0 to 1. */
  private record Scale(double beta1, double lowest, double highest) {

    /** 1 − the smallest weight relative to the largest. */
    double span() {
      return -Math.expm1((lowest - highest) / beta1);
    }

    /**
     * Whether weights are as far apart as returns: for β₁ = 0, or one beside which all are alike.
     */
    boolean linear() {
      return beta1 == 0 || span() < Double.MIN_NORMAL;
    }

    double weight(double value) {
      return linear()
          ? (value - lowest) / (highest - lowest)
          : 1 + Math.expm1((value - highest) / beta1) / span();
    }

    double value(double weight) {
      double value =
          linear()
              ? lowest + weight * (highest - lowest)
              : highest + beta1 * Math.log1p((weight - 1) * span());
      return Math.max(lowest, Math.min(highest, value));
    }
  }

  /**
   * The interval of an estimate.
   *
   * @param returns finite ones, at least one
   * @param lowest of all returns of the run
   * @param highest of all returns of the run
   */
  public static ValueInterval of(double[] returns, double beta1, double lowest, double highest) {
    double estimate = ValueEstimate.of(returns, beta1).vStar();
    if (lowest == highest) {
      return new ValueInterval(estimate, estimate);
    }
    Scale scale = new Scale(beta1, lowest, highest);
    double[] weights = Arrays.stream(returns).map(scale::weight).toArray();
    BetaDistribution lower = posterior(weights, 1 - FACED);
    BetaDistribution upper = posterior(weights, FACED);
    return new ValueInterval(
        Math.min(estimate, scale.value(lower.inverseCumulativeProbability(TAIL))),
        Math.max(estimate, scale.value(upper.inverseCumulativeProbability(1 - TAIL))));
  }

  /** Of the mean weight, with one pseudo-sample, of which this much is at the upper end. */
  private static BetaDistribution posterior(double[] weights, double atTop) {
    double count = weights.length + 1;
    double mean = (Arrays.stream(weights).sum() + atTop) / count;
    double squares = (Arrays.stream(weights).map(w -> w * w).sum() + atTop) / count;
    double variance = (squares - mean * mean) / (count + 1);
    double worth = mean * (1 - mean) / variance - 1;
    return new BetaDistribution(null, mean * worth, (1 - mean) * worth, ACCURACY);
  }
}
