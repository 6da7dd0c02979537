package org.vstar.spark.score;

/**
 * A 95 % confidence interval.
 *
 * @param low lower bound
 * @param high upper bound
 */
public record Interval(double low, double high) {

  /** The 97.5 % quantile of the standard normal distribution. */
  private static final double Z = 1.959963984540054;

  /**
   * Wilson's score interval of a rate: it stays inside [0, 1] and is not empty at 0 or n successes.
   *
   * @param n trials, or how many independent ones they are worth; at least 1
   */
  public static Interval wilson(double rate, double n) {
    double shrink = 1 + Z * Z / n;
    double centre = (rate + Z * Z / (2.0 * n)) / shrink;
    double half = Z * Math.sqrt(rate * (1 - rate) / n + Z * Z / (4.0 * n * n)) / shrink;
    // At 0 and n successes an end is the rate itself, which rounding must not pass.
    return new Interval(
        Math.max(0, Math.min(rate, centre - half)), Math.min(1, Math.max(rate, centre + half)));
  }

  /** The normal interval of a mean with this standard error. */
  public static Interval ofMean(double mean, double standardError) {
    return new Interval(mean - Z * standardError, mean + Z * standardError);
  }
}
