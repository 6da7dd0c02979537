package org.vstar.model.value;

import java.util.Arrays;
import org.vstar.common.InvalidInputException;

/**
 * V*(x) = β₁ ln E_{y∼π_ref} exp(r/β₁), estimated from n returns (A*-PO, arXiv 2505.20686).
 *
 * @param vStar the estimate, β₁·(logsumexp(r/β₁) − ln n); the mean return for β₁ = 0
 * @param standardError of the estimate by the delta method, β₁·sd(w)/(mean(w)·√n) with w =
 *     exp(r/β₁); NaN for n = 1
 * @param mean of the returns
 * @param standardDeviation of the returns, with n − 1 in the denominator; NaN for n = 1
 * @param max of the returns
 * @param effectiveSampleSize (Σw)²/Σw², 1 to n: how many returns the estimate rests on
 */
public record ValueEstimate(
    double vStar,
    double standardError,
    int n,
    double mean,
    double standardDeviation,
    double max,
    double effectiveSampleSize) {

  /** Of returns this near to one another, measured in β₁, V* and mean differ by less than 1e-12. */
  public static final double MEAN_BELOW = 1e-12;

  /**
   * Weights exp(r/β₁) of returns this near to one another, measured in β₁, differ little from 1.
   */
  public static final double NEARLY_ONE_BELOW = 0.01;

  /**
   * Estimates.
   *
   * @param returns finite ones
   * @param beta1 0 or more
   * @throws InvalidInputException for a negative β₁
   * @throws IllegalArgumentException for no returns, or one that is not finite
   */
  public static ValueEstimate of(double[] returns, double beta1) {
    requireBeta1(beta1);
    int n = returns.length;
    if (n == 0) {
      throw new IllegalArgumentException("no returns to estimate from");
    }
    if (!Arrays.stream(returns).allMatch(Double::isFinite)) {
      throw new IllegalArgumentException("a return is not finite");
    }
    double mean = mean(returns);
    double sd = standardDeviation(returns, mean);
    double max = Arrays.stream(returns).max().getAsDouble();
    if (beta1 == 0) {
      return new ValueEstimate(mean, sd / Math.sqrt(n), n, mean, sd, max, n);
    }
    double min = Arrays.stream(returns).min().getAsDouble();
    if ((max - min) / beta1 < MEAN_BELOW) {
      // The expansion for large β₁; what it leaves out is below the last digit.
      double variance = n == 1 ? 0 : sd * sd * (n - 1) / n;
      double vStar = mean + variance / (2 * beta1);
      return new ValueEstimate(vStar, sd / Math.sqrt(n), n, mean, sd, max, n);
    }
    // Weights relative to the largest: every quantity below is invariant to that, and none
    // overflows.
    double[] w = Arrays.stream(returns).map(r -> StrictMath.exp((r - max) / beta1)).toArray();
    double sum = Arrays.stream(w).sum();
    double squares = Arrays.stream(w).map(x -> x * x).sum();
    double ess = sum * sum / squares;
    if ((max - min) / beta1 < NEARLY_ONE_BELOW) {
      // The weights are so near to 1 that their differences would lose digits: w − 1 keeps them.
      double[] less = Arrays.stream(returns).map(r -> expm1((r - max) / beta1)).toArray();
      double vStar = max + beta1 * StrictMath.log1p(mean(less));
      double error = beta1 * standardDeviation(less, mean(less)) / (sum / n * Math.sqrt(n));
      return new ValueEstimate(vStar, error, n, mean, sd, max, ess);
    }
    double vStar = max + beta1 * (StrictMath.log(sum) - StrictMath.log(n));
    double error = beta1 * standardDeviation(w, sum / n) / (sum / n * Math.sqrt(n));
    return new ValueEstimate(vStar, error, n, mean, sd, max, ess);
  }

  private static double expm1(double x) {
    return StrictMath.expm1(x);
  }

  /**
   * How far the estimate lies from V* on average, to first order: below it by β₁ var(w)/(2 n
   * mean(w)²), since the logarithm is concave (Jensen). It is itself an estimate, 0 where all
   * returns are alike and NaN for n = 1.
   *
   * @param beta1 what the estimate was made with
   */
  public double bias(double beta1) {
    return beta1 == 0 ? 0 : -standardError * standardError / (2 * beta1);
  }

  /** Refuses a β₁ that has no meaning. */
  public static void requireBeta1(double beta1) {
    InvalidInputException.require(
        beta1 >= 0 && Double.isFinite(beta1), "beta1", beta1, "0 (the mean return) or more");
  }

  private static double mean(double[] x) {
    return Arrays.stream(x).sum() / x.length;
  }

  private static double standardDeviation(double[] x, double mean) {
    double squares = Arrays.stream(x).map(v -> (v - mean) * (v - mean)).sum();
    return Math.sqrt(squares / (x.length - 1));
  }
}
