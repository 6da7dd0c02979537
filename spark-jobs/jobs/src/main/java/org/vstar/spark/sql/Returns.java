package org.vstar.spark.sql;

import java.util.Locale;
import org.vstar.common.InvalidInputException;
import org.vstar.model.value.ValueEstimate;

/**
 * What the SQL aggregates over returns are made of. Spark's generated code calls these methods, so
 * they are public; nothing else should.
 *
 * <p>Returns r have weights exp(r/β₁), relative to that of the largest return so far, so that none
 * overflows. A return of −∞ has weight 0, one of +∞ outweighs all others, NaN makes every result
 * NaN.
 */
public final class Returns {

  private static final double NEARLY_ALIKE_BELOW = 1e-4;

  private Returns() {}

  /** The β₁ of a group, behind another row of it. */
  public static double sameBeta1(long n, double before, double beta1) {
    if (n > 0 && before == beta1) {
      return beta1;
    }
    ValueEstimate.requireBeta1(beta1);
    if (n > 0) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "beta1 is %s and %s in one group, expected one value: group by it",
              before,
              beta1));
    }
    return beta1;
  }

  /** The β₁ of two parts of a group. */
  public static double joinBeta1(long n, double one, long m, double other) {
    return m == 0 ? one : sameBeta1(n, one, other);
  }

  /** The β₁ of a row that has none. */
  public static double noBeta1() {
    throw new InvalidInputException("beta1 is NULL, expected a number");
  }

  /** The larger of two returns; NaN if one is. */
  public static double max(double one, double other) {
    return Math.max(one, other);
  }

  /** The smaller of two returns; NaN if one is. */
  public static double min(double one, double other) {
    return Math.min(one, other);
  }

  /** The weight of the smaller of two returns relative to that of the larger. */
  public static double ratio(double one, double other, double beta1) {
    return one == other ? 1 : Math.exp(-Math.abs(one - other) / beta1);
  }

  /** Σw behind another return, if there is one, relative to the largest then. */
  public static double addWeight(boolean none, double sum, double max, double value, double ratio) {
    if (none) {
      return sum;
    }
    return value <= max ? sum + ratio : sum * ratio + 1;
  }

  /** Σw of two parts together. */
  public static double joinWeights(
      double sum, double max, double other, double otherMax, double r) {
    return otherMax <= max ? sum + other * r : sum * r + other;
  }

  /** exp(gap) − 1 for a gap from −0.01 to 0; of no use elsewhere. */
  private static double expm1(double gap) {
    return gap * (1 + gap * (1 / 2.0 + gap * (1 / 6.0 + gap * (1 / 24.0 + gap / 120))));
  }

  private static double gap(double from, double to, double beta1) {
    return from == to ? 0 : (from - to) / beta1;
  }

  /** Σ(w − 1) behind another return; right while all weights are nearly 1, and not used else. */
  public static double addLess(long n, double less, double max, double value, double beta1) {
    if (n == 0 || Math.abs(max - value) > beta1 * ValueEstimate.NEARLY_ONE_BELOW) {
      return 0;
    }
    double gap = gap(value, max, beta1);
    return gap <= 0 ? less + expm1(gap) : less * Math.exp(-gap) + n * expm1(-gap);
  }

  /** Σ(w − 1) of two parts together. */
  public static double joinLess(
      long n, double less, double max, long m, double other, double otherMax, double beta1) {
    if (n == 0 || m == 0) {
      return n == 0 ? other : less;
    }
    double gap = gap(otherMax, max, beta1);
    return gap <= 0
        ? less + other * Math.exp(gap) + m * expm1(gap)
        : other + less * Math.exp(-gap) + n * expm1(-gap);
  }

  /** How far the returns lie apart, in β₁. */
  private static double spread(double max, double min, double beta1) {
    return max == min ? 0 : (max - min) / beta1;
  }

  /** β₁ ln(Σw/n), which β₁ → ∞ makes the mean. */
  public static double vstar(
      long n, double max, double min, double total, double sum, double less, double beta1) {
    boolean mean = beta1 == 0 || spread(max, min, beta1) < ValueEstimate.MEAN_BELOW;
    return max != min && mean ? total / n : vstarOf(n, max, min, sum, less, beta1);
  }

  /** The same for a β₁ that is neither 0 nor huge, so that it does not need the mean. */
  public static double vstarOf(
      long n, double max, double min, double sum, double less, double beta1) {
    if (max == min) {
      return max;
    }
    return spread(max, min, beta1) < ValueEstimate.NEARLY_ONE_BELOW
        ? max + beta1 * Math.log1p(less / n)
        : max + beta1 * Math.log(sum / n);
  }

  /** (Σw)²/Σw²; n for β₁ = 0, where all weights are taken as one. */
  public static double effectiveSampleSize(long n, double sum, double squares, double beta1) {
    return beta1 == 0 ? n : sum * sum / squares;
  }

  /** Σ(r − mean)² behind another return (Welford). */
  public static double addDeviation(long n, double deviation, double total, double value) {
    double from = n == 0 ? 0 : value - total / n;
    return deviation + from * from * n / (n + 1.0);
  }

  /** Σ(r − mean)² of two parts together (Chan). */
  public static double joinDeviations(
      long n, double deviation, double total, long m, double other, double otherTotal) {
    double apart = n == 0 || m == 0 ? 0 : total / n - otherTotal / m;
    return deviation + other + apart * apart * n * m / (n + m);
  }

  /** V*'s standard error by the delta method; NaN for one return. */
  public static double standardError(
      long n, double max, double min, double deviation, double sum, double squares, double beta1) {
    if (beta1 == 0 || spread(max, min, beta1) < NEARLY_ALIKE_BELOW) {
      // β₁ sd(w)/mean(w) is then sd(r), to the fourth digit.
      return Math.sqrt(deviation / (n - 1)) / Math.sqrt(n);
    }
    double mean = sum / n;
    double variance = Math.max(0, squares - sum * mean) / (n - 1);
    return beta1 * Math.sqrt(variance / n) / mean;
  }
}
