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

  /**
   * The interval of an estimate.
   *
   * @param returns finite ones, at least one
   * @param lowest of all returns of the run
   * @param highest of all returns of the run
   */
  public static ValueInterval of(double[] returns, double beta1, double lowest, double highest) {
    double estimate = ValueEstimate.of(returns, beta1).vStar();
    ReturnScale scale = new ReturnScale(beta1, lowest, highest);
    if (scale.isPoint()) {
      return new ValueInterval(estimate, estimate);
    }
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
