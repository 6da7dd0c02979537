package org.vstar.model.value;

import org.apache.commons.math3.distribution.BetaDistribution;

/**
 * What is believed of a task's mean weight from a prediction and from its own samples: the
 * beta-binomial model, in which a prediction counts as much as some samples.
 *
 * @param scale of the run
 * @param alpha of the Beta distribution: predicted and seen at the upper end
 * @param beta predicted and seen at the lower end
 */
public record ValuePosterior(ReturnScale scale, double alpha, double beta) {

  /** Equally likely values that stand for the distribution. */
  private static final int POINTS = 24;

  /** Of a quantile, of which the logarithm is taken. */
  private static final double ACCURACY = 1e-13;

  /** Keeps a prediction off the ends, where no sample could move it. */
  private static final double LEAST = 1e-3;

  /** Up to so many samples the error is summed; beyond, it falls as 1/n. */
  private static final int SUMMED = 64;

  /**
   * The posterior of a task.
   *
   * @param predicted its mean weight as others' samples predict it, 0 to 1
   * @param worth how many samples the prediction is worth, above 0
   * @param samples how many of its own there are, counted as samples of 0 or 1
   * @param weights the sum of their weights
   */
  public static ValuePosterior of(
      ReturnScale scale, double predicted, double worth, double samples, double weights) {
    double mean = Math.max(LEAST, Math.min(1 - LEAST, predicted));
    return new ValuePosterior(
        scale, worth * mean + weights, worth * (1 - mean) + samples - weights);
  }

  /** Equally likely mean weights, ascending. */
  public double[] points() {
    BetaDistribution weight = new BetaDistribution(null, alpha, beta, ACCURACY);
    double[] points = new double[POINTS];
    for (int i = 0; i < POINTS; i++) {
      points[i] = weight.inverseCumulativeProbability((i + 0.5) / POINTS);
    }
    return points;
  }

  /** The expected V*. */
  public double vStar() {
    double sum = 0;
    for (double weight : points()) {
      sum += scale.value(weight);
    }
    return sum / POINTS;
  }

  /**
   * The expected squared error of V̂* from so many samples, over equally likely mean weights. The
   * samples are taken to be at the two ends: for graded returns it is an upper bound. It is summed
   * and not approximated by the delta method, which has no bound where β₁ is small and a task never
   * succeeds.
   *
   * @param points of {@link #points}
   * @param samples at least 1
   */
  public static double expectedError(ReturnScale scale, double[] points, int samples) {
    int n = Math.min(samples, SUMMED);
    double[] values = new double[n + 1];
    for (int k = 0; k <= n; k++) {
      values[k] = scale.value(k / (double) n);
    }
    double error = 0;
    for (double weight : points) {
      double truth = scale.value(weight);
      double probability = Math.pow(1 - weight, n);
      double odds = weight / (1 - weight);
      for (int k = 0; k <= n && weight < 1; k++) {
        error += probability * (values[k] - truth) * (values[k] - truth);
        probability *= odds * (n - k) / (k + 1);
      }
    }
    return error / points.length * n / samples;
  }
}
