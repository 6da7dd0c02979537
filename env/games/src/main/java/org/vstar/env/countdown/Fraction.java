package org.vstar.env.countdown;

import java.math.BigInteger;
import java.util.Optional;

/**
 * A rational number, in lowest terms.
 *
 * @param numerator any
 * @param denominator more than 0
 */
record Fraction(BigInteger numerator, BigInteger denominator) {

  /** What cannot be computed, and why. */
  static final class Undefined extends Exception {
    private static final long serialVersionUID = 1L;
    private final Verdict verdict;

    Undefined(Verdict verdict) {
      super(verdict.text(), null, false, false);
      this.verdict = verdict;
    }

    Verdict verdict() {
      return verdict;
    }
  }

  /** A power may have so many bits. */
  private static final BigInteger MOST_BITS = BigInteger.valueOf(4096);

  static Fraction of(BigInteger number) {
    return new Fraction(number, BigInteger.ONE);
  }

  private static Fraction lowest(BigInteger numerator, BigInteger denominator) {
    BigInteger common = numerator.gcd(denominator);
    BigInteger sign = BigInteger.valueOf(denominator.signum());
    return new Fraction(
        numerator.divide(common).multiply(sign), denominator.divide(common).multiply(sign));
  }

  Fraction plus(Fraction other) {
    return lowest(
        numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
        denominator.multiply(other.denominator));
  }

  Fraction minus(Fraction other) {
    return plus(other.negated());
  }

  Fraction negated() {
    return new Fraction(numerator.negate(), denominator);
  }

  Fraction times(Fraction other) {
    return lowest(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
  }

  Fraction over(Fraction other) throws Undefined {
    if (other.numerator.signum() == 0) {
      throw new Undefined(Verdict.DIVISION_BY_ZERO);
    }
    return lowest(numerator.multiply(other.denominator), denominator.multiply(other.numerator));
  }

  /** The largest whole number that is not more than the quotient. */
  Fraction floorOver(Fraction other) throws Undefined {
    Fraction quotient = over(other);
    BigInteger[] parts = quotient.numerator.divideAndRemainder(quotient.denominator);
    return of(parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0]);
  }

  /** What is left of it after {@link #floorOver} times the other. */
  Fraction modulo(Fraction other) throws Undefined {
    return minus(other.times(floorOver(other)));
  }

  Fraction power(Fraction exponent) throws Undefined {
    if (!exponent.denominator.equals(BigInteger.ONE)) {
      throw new Undefined(Verdict.NO_WHOLE_EXPONENT);
    }
    BigInteger times = exponent.numerator;
    if (numerator.signum() == 0 && times.signum() < 0) {
      throw new Undefined(Verdict.DIVISION_BY_ZERO);
    }
    Optional<Fraction> simple = simplePower(times);
    if (simple.isPresent()) {
      return simple.get();
    }
    int bits = Math.max(numerator.bitLength(), denominator.bitLength());
    if (times.abs().multiply(BigInteger.valueOf(bits)).compareTo(MOST_BITS) > 0) {
      throw new Undefined(Verdict.TOO_LARGE);
    }
    int amount = times.abs().intValueExact();
    BigInteger top = numerator.pow(amount);
    BigInteger bottom = denominator.pow(amount);
    return times.signum() < 0 ? lowest(bottom, top) : new Fraction(top, bottom);
  }

  /** That of −1, 0 and 1, however large the exponent. */
  private Optional<Fraction> simplePower(BigInteger times) {
    if (!denominator.equals(BigInteger.ONE) || numerator.bitLength() > 1) {
      return Optional.empty();
    }
    if (times.signum() == 0) {
      return Optional.of(of(BigInteger.ONE));
    }
    BigInteger one = BigInteger.ONE;
    if (numerator.equals(one.negate())) {
      return Optional.of(of(times.testBit(0) ? one.negate() : one));
    }
    return numerator.signum() == 0 || numerator.equals(one) ? Optional.of(this) : Optional.empty();
  }

  /** Whether it lies within 10⁻⁵ of a whole number. */
  boolean isNear(BigInteger target) {
    BigInteger off = numerator.subtract(target.multiply(denominator)).abs();
    return off.multiply(BigInteger.valueOf(100_000)).compareTo(denominator) < 0;
  }
}
