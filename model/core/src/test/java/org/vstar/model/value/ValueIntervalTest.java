package org.vstar.model.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import org.apache.commons.math3.distribution.BetaDistribution;
import org.apache.commons.math3.distribution.BinomialDistribution;
import org.junit.jupiter.api.Test;

class ValueIntervalTest {

  private static final double BETA1 = 0.5;

  private static double[] returns(int successes, int n) {
    double[] returns = new double[n];
    Arrays.fill(returns, 0, successes, 1);
    return returns;
  }

  private static double value(double p) {
    return BETA1 * Math.log(p * Math.exp(1 / BETA1) + 1 - p);
  }

  @Test
  void twoValuedReturnsHaveTheBetaPosteriorOfTheirRate() {
    ValueInterval interval = ValueInterval.of(returns(3, 8), BETA1, 0, 1);
    BetaDistribution lower = new BetaDistribution(3 + 1 / 3.0, 5 + 2 / 3.0);
    BetaDistribution upper = new BetaDistribution(3 + 2 / 3.0, 5 + 1 / 3.0);
    assertThat(interval.low())
        .isCloseTo(value(lower.inverseCumulativeProbability(0.025)), within(1e-9));
    assertThat(interval.high())
        .isCloseTo(value(upper.inverseCumulativeProbability(0.975)), within(1e-9));
  }

  @Test
  void coversNineTimesOfTenWhateverTheRateAndHoweverFewTheSamples() {
    for (int n : new int[] {4, 8, 16, 64}) {
      double average = 0;
      for (int percent = 2; percent <= 98; percent++) {
        double p = percent / 100.0;
        BinomialDistribution successes = new BinomialDistribution(null, n, p);
        double coverage = 0;
        for (int k = 0; k <= n; k++) {
          ValueInterval interval = ValueInterval.of(returns(k, n), BETA1, 0, 1);
          boolean covered = interval.low() <= value(p) && value(p) <= interval.high();
          coverage += covered ? successes.probability(k) : 0;
        }
        assertThat(coverage).as("N = %d, p = %s", n, p).isGreaterThan(0.92);
        average += coverage / 97;
      }
      assertThat(average).as("N = %d on average", n).isBetween(0.955, 0.98);
    }
  }

  @Test
  void twoStandardErrorsCoverLittleMoreThanHalfForARareSuccessInEightSamples() {
    BinomialDistribution successes = new BinomialDistribution(null, 8, 0.1);
    double coverage = 0;
    for (int k = 0; k <= 8; k++) {
      ValueEstimate v = ValueEstimate.of(returns(k, 8), BETA1);
      boolean covered = Math.abs(v.vStar() - value(0.1)) <= 1.96 * v.standardError();
      coverage += covered ? successes.probability(k) : 0;
    }
    assertThat(coverage).isBetween(0.5, 0.6);
  }

  @Test
  void coversNineTimesOfTenForGradedReturns() {
    SplittableRandom random = new SplittableRandom(5);
    requireCoverage("uniform", random::nextDouble, BETA1 * Math.log((Math.E * Math.E - 1) / 2));
    // What a shop gives: nothing, part of the options, everything, less what the turns cost.
    double[] steps = {-0.1, 0.2, 0.45, 0.97};
    double[] p = {0.55, 0.25, 0.15, 0.05};
    double mean = 0;
    for (int i = 0; i < steps.length; i++) {
      mean += p[i] * Math.exp(steps[i] / BETA1);
    }
    requireCoverage("steps", () -> steps[drawn(p, random.nextDouble())], BETA1 * Math.log(mean));
  }

  private static int drawn(double[] p, double u) {
    int i = 0;
    for (double left = u - p[0]; left >= 0; left -= p[i]) {
      i++;
    }
    return i;
  }

  private static void requireCoverage(String name, DoubleSupplier draw, double truth) {
    for (int n : new int[] {4, 8, 16, 64}) {
      int covered = 0;
      int repetitions = 2000;
      for (int i = 0; i < repetitions; i++) {
        double[] returns = new double[n];
        Arrays.setAll(returns, j -> draw.getAsDouble());
        ValueInterval interval = ValueInterval.of(returns, BETA1, -0.1, 1);
        covered += interval.low() <= truth && truth <= interval.high() ? 1 : 0;
      }
      assertThat((double) covered / repetitions).as("%s, N = %d", name, n).isGreaterThan(0.9);
    }
  }

  @Test
  void staysAmongTheReturnsOfTheRunAndHoldsTheEstimateForEveryBeta1() {
    double[] returns = {0.2, 0.2, 0.7, -0.3};
    for (double beta1 : new double[] {0, 1e-4, 0.1, 1, 1e6, 1e15, 1e308}) {
      double estimate = ValueEstimate.of(returns, beta1).vStar();
      ValueInterval interval = ValueInterval.of(returns, beta1, -1, 1);
      assertThat(interval.low()).as("β₁ = %s", beta1).isBetween(-1.0, estimate);
      assertThat(interval.high()).as("β₁ = %s", beta1).isBetween(estimate, 1.0);
    }
  }

  @Test
  void aTaskThatNeverSucceededMayStillBeWorthSomethingAndARunOfOneReturnIsCertain() {
    ValueInterval never = ValueInterval.of(returns(0, 8), BETA1, 0, 1);
    assertThat(never.low()).isZero();
    assertThat(never.high()).isGreaterThan(value(0.2));
    assertThat(ValueInterval.of(returns(0, 8), BETA1, 0, 0)).isEqualTo(new ValueInterval(0, 0));
  }
}
