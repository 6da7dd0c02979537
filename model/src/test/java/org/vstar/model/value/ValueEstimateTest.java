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
}
