package org.vstar.model.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;

class ValueEstimateTest {

  private static double[] successes(int k) {
    double[] returns = new double[8];
    Arrays.fill(returns, 0, k, 1);
    return returns;
  }

  @Test
  void matchesTheCheckValuesOfZeroOneRewards() {
    double[] expected = {0, .2935, .4772, .6113, .7169, .8040, .8782, .9428, 1};
    for (int k = 0; k <= 8; k++) {
      assertThat(ValueEstimate.of(successes(k), 0.5).vStar()).isCloseTo(expected[k], within(5e-5));
    }
  }

  @Test
  void matchesTheCheckValueOfGradedRewards() {
    double[] graded = {0, 0, .25, .5, .6667, 1, 1, 0};
    assertThat(ValueEstimate.of(graded, 0.5).vStar()).isCloseTo(.5882, within(5e-5));
  }

  @Test
  void tendsToTheMeanForLargeBetaAndToTheMaximumForSmall() {
    double[] returns = {-0.3, 0.1, 0.6, 1.1};
    assertThat(ValueEstimate.of(returns, 1e6).vStar()).isCloseTo(0.375, within(1e-5));
    assertThat(ValueEstimate.of(returns, 1e-4).vStar()).isCloseTo(1.1, within(1e-3));
    assertThat(ValueEstimate.of(returns, 0).vStar()).isEqualTo(0.375);
  }

  @Test
  void doesNotOverflow() {
    ValueEstimate v = ValueEstimate.of(new double[] {1e6, 1e6 - 1, -1e6}, 1e-3);
    assertThat(v.vStar()).isCloseTo(1e6, within(0.01));
    assertThat(v.standardError()).isFinite();
  }

  @Test
  void reportsTheMomentsOfTheReturns() {
    ValueEstimate v = ValueEstimate.of(new double[] {0, 0, 1, 1}, 0.5);
    assertThat(v.n()).isEqualTo(4);
    assertThat(v.mean()).isEqualTo(0.5);
    assertThat(v.standardDeviation()).isCloseTo(Math.sqrt(1.0 / 3), within(1e-12));
    assertThat(v.max()).isEqualTo(1);
    double e = Math.exp(2);
    double ess = (2 + 2 * e) * (2 + 2 * e) / (2 + 2 * e * e);
    assertThat(v.effectiveSampleSize()).isCloseTo(ess, within(1e-9));
  }

  @Test
  void effectiveSampleSizeIsAllWhenReturnsAreEqualAndOneWhenOneDominates() {
    assertThat(ValueEstimate.of(new double[] {2, 2, 2}, 0.5).effectiveSampleSize())
        .isCloseTo(3, within(1e-12));
    assertThat(ValueEstimate.of(new double[] {0, 0, 50}, 0.5).effectiveSampleSize())
        .isCloseTo(1, within(1e-9));
  }

  @Test
  void standardErrorIsTheSpreadOfTheEstimateOverRepetitions() {
    SplittableRandom random = new SplittableRandom(4);
    int repetitions = 4000;
    double[] estimates = new double[repetitions];
    double error = 0;
    for (int i = 0; i < repetitions; i++) {
      double[] returns = random.doubles(64).map(u -> u < 0.4 ? 1 : 0).toArray();
      ValueEstimate v = ValueEstimate.of(returns, 0.5);
      estimates[i] = v.vStar();
      error += v.standardError() / repetitions;
    }
    double mean = Arrays.stream(estimates).average().orElseThrow();
    double spread =
        Math.sqrt(Arrays.stream(estimates).map(x -> (x - mean) * (x - mean)).sum() / repetitions);
    assertThat(error / spread).isBetween(0.95, 1.05);
  }

  @Test
  void negativeBetaAndNoReturnsAreRefused() {
    assertThatThrownBy(() -> ValueEstimate.of(new double[] {1}, -0.1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("-0.1");
    assertThatThrownBy(() -> ValueEstimate.of(new double[0], 0.5))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** V* = mean + variance / (2 β₁) + O(β₁⁻²), with the variance over n. */
  @Test
  void keepsItsDigitsForAVeryLargeBeta() {
    double[] returns = {0.1, 0.25, 0.7, 0.95, -0.3};
    double mean = Arrays.stream(returns).sum() / 5;
    double variance = Arrays.stream(returns).map(r -> (r - mean) * (r - mean)).sum() / 5;
    double sd = Math.sqrt(variance * 5 / 4);
    for (double beta1 : new double[] {1e4, 1e8, 1e11, 1e12, 1e13, 1e15, 1e100, 1e300}) {
      ValueEstimate v = ValueEstimate.of(returns, beta1);
      double expected = mean + variance / (2 * beta1);
      assertThat(v.vStar())
          .as("β₁ = %s", beta1)
          .isCloseTo(expected, within(0.02 / beta1 / beta1 + 4e-16));
      assertThat(v.standardError()).isCloseTo(sd / Math.sqrt(5), within(1 / beta1 + 1e-12));
      assertThat(v.effectiveSampleSize()).isCloseTo(5, within(1 / beta1 + 1e-14));
    }
  }

  @Test
  void goesOverFromOneFormulaToTheOtherWithoutAStep() {
    double[] returns = {0, 1, 0.5};
    for (double beta1 : new double[] {100, 1e12}) {
      ValueEstimate below = ValueEstimate.of(returns, Math.nextDown(beta1));
      ValueEstimate above = ValueEstimate.of(returns, Math.nextUp(beta1));
      assertThat(below.vStar()).isCloseTo(above.vStar(), within(1e-13));
      assertThat(below.standardError()).isCloseTo(above.standardError(), within(1e-11));
    }
  }

  @Test
  void refusesAReturnThatIsNotFinite() {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> ValueEstimate.of(new double[] {0, bad}, 0.5))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
