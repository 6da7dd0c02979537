package org.vstar.model.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ValuePosteriorTest {

  private static final ReturnScale SCALE = new ReturnScale(0.5, 0, 1);

  @Test
  void withoutSamplesItIsThePredictionAndWithManyTheirEstimate() {
    double[] weights = {0.1, 0.5, 0.9};
    for (double weight : weights) {
      ValuePosterior predicted = ValuePosterior.of(SCALE, weight, 1e5, 0, 0);
      assertThat(predicted.vStar()).isCloseTo(SCALE.value(weight), within(1e-3));
      ValuePosterior seen = ValuePosterior.of(SCALE, 1 - weight, 2, 100_000, 100_000 * weight);
      assertThat(seen.vStar()).isCloseTo(SCALE.value(weight), within(1e-3));
    }
  }

  /** Estimates are drawn; the posterior is so narrow that it is a point. */
  @Test
  void theExpectedErrorIsWhatEstimatesAreOffBy() {
    SplittableRandom random = new SplittableRandom(7);
    for (double beta1 : new double[] {0, 0.1, 0.5}) {
      ReturnScale scale = new ReturnScale(beta1, 0, 1);
      for (double p : new double[] {0.05, 0.5, 0.9}) {
        double truth = scale.value(p);
        double squares = 0;
        int times = 20_000;
        for (int t = 0; t < times; t++) {
          double[] returns = random.doubles(8).map(u -> u < p ? 1 : 0).toArray();
          squares += Math.pow(ValueEstimate.of(returns, beta1).vStar() - truth, 2) / times;
        }
        double[] points = ValuePosterior.of(scale, p, 1e7, 0, 0).points();
        assertThat(ValuePosterior.expectedError(scale, points, 8))
            .isCloseTo(squares, within(0.1 * squares));
      }
    }
  }

  @Test
  void theExpectedErrorFallsWithSamplesAndNeverPassesTheSquareOfTheRange() {
    for (double beta1 : new double[] {0, 0.01, 0.1, 0.5, 10}) {
      ReturnScale scale = new ReturnScale(beta1, 0, 1);
      double[] failed = ValuePosterior.of(scale, 0.05, 3, 16, 0).points();
      double[] open = ValuePosterior.of(scale, 0.5, 3, 0, 0).points();
      for (double[] points : new double[][] {failed, open}) {
        assertThat(ValuePosterior.expectedError(scale, points, 1)).isBetween(0.0, 1.0);
        double hundred = ValuePosterior.expectedError(scale, points, 100);
        assertThat(hundred).isLessThan(ValuePosterior.expectedError(scale, points, 50));
        assertThat(ValuePosterior.expectedError(scale, points, 200))
            .isCloseTo(hundred / 2, within(1e-15));
      }
    }
  }

  /** The expectation over a Beta distribution, against a sum over its density. */
  @Test
  void theExpectedValueIsAnAverageOverTheDistribution() {
    ValuePosterior posterior = ValuePosterior.of(SCALE, 0.3, 3, 4, 1);
    double a = posterior.alpha();
    double b = posterior.beta();
    double mass = 0;
    double value = 0;
    int steps = 200_000;
    for (int i = 0; i < steps; i++) {
      double w = (i + 0.5) / steps;
      double density = Math.pow(w, a - 1) * Math.pow(1 - w, b - 1);
      mass += density;
      value += density * SCALE.value(w);
    }
    assertThat(posterior.vStar()).isCloseTo(value / mass, within(2e-3));
  }

  @Test
  void aScaleTurnsReturnsToWeightsAndBack() {
    for (double beta1 : new double[] {0, 0.01, 0.5, 3, 1e9}) {
      ReturnScale scale = new ReturnScale(beta1, -1, 2);
      assertThat(scale.weight(-1)).isCloseTo(0, within(1e-12));
      assertThat(scale.weight(2)).isCloseTo(1, within(1e-12));
      for (double r : new double[] {1.97, 1.99, 2}) {
        assertThat(scale.value(scale.weight(r))).isCloseTo(r, within(1e-6));
      }
    }
  }
}
