package org.vstar.common;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Doubles as decimals, the same on every Java version. */
public final class Decimals {

  private static final int MAX_DIGITS = 17;

  private Decimals() {}

  /**
   * The shortest decimal that reads back as the same number, without trailing zeros. ({@code
   * Double.toString} of Java 17 does not always give the shortest.)
   *
   * @throws NumberFormatException if x is infinite or not a number
   */
  public static BigDecimal shortest(double x) {
    BigDecimal exact = new BigDecimal(x);
    for (int digits = 1; digits < MAX_DIGITS; digits++) {
      BigDecimal rounded = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
      if (rounded.doubleValue() == x) {
        return rounded.stripTrailingZeros();
      }
    }
    return exact.round(new MathContext(MAX_DIGITS, RoundingMode.HALF_EVEN)).stripTrailingZeros();
  }
}
