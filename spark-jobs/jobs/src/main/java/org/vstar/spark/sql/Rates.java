package org.vstar.spark.sql;

import java.util.Locale;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.score.Interval;

/** Functions of counts in SQL. Spark's generated code calls these methods, so they are public. */
public final class Rates {

  private Rates() {}

  /** The lower end of Wilson's 95 % interval of a rate; NULL without trials. */
  public static Double wilsonLow(double successes, double n) {
    requireCounts("wilson_low", successes, n);
    return n == 0 ? null : (Double) Interval.wilson(successes / n, n).low();
  }

  /** The upper end of Wilson's 95 % interval of a rate; NULL without trials. */
  public static Double wilsonHigh(double successes, double n) {
    requireCounts("wilson_high", successes, n);
    return n == 0 ? null : (Double) Interval.wilson(successes / n, n).high();
  }

  /**
   * The probability that one of k of the n samples at least is among the c that succeeded, 1 −
   * C(n−c, k)/C(n, k) (arXiv 2107.03374, equation 1). NULL for fewer than k samples.
   */
  public static Double passAtK(long n, long c, long k) {
    requireCounts("pass_at_k", c, n);
    InvalidInputException.require(k >= 1, "k of pass_at_k", k, "1 or more");
    if (n < k) {
      return null;
    }
    // C(n−c, k)/C(n, k) = C(n−k, c)/C(n, c): as many factors as the smaller of the two.
    long less = Math.min(c, k);
    long more = Math.max(c, k);
    double allFail = 1;
    for (long i = 0; i < less && allFail > 0; i++) {
      allFail *= Math.max(0, 1 - (double) more / (n - i));
    }
    return 1 - allFail;
  }

  private static void requireCounts(String function, double successes, double n) {
    if (!(successes >= 0 && successes <= n && n < Double.POSITIVE_INFINITY)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s was given %s successes of %s, expected 0 to n of n",
              function,
              successes,
              n));
    }
  }
}
