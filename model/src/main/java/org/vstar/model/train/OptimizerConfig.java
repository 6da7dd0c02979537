package org.vstar.model.train;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.InputError;

/**
 * AdamW and its schedule: linear warm-up, then cosine decay.
 *
 * @param learningRate the peak
 * @param warmupSteps steps over which the rate rises from 0 to the peak
 * @param finalFraction the rate of the last step as a fraction of the peak
 * @param beta1 decay of the first moment
 * @param beta2 decay of the second moment
 * @param epsilon added to the root of the second moment
 * @param weightDecay decoupled, on matrices only
 * @param clipNorm largest norm of a gradient
 */
public record OptimizerConfig(
    @JsonProperty(required = true) double learningRate,
    @JsonProperty(required = true) int warmupSteps,
    @JsonProperty(required = true) double finalFraction,
    @JsonProperty(required = true) double beta1,
    @JsonProperty(required = true) double beta2,
    @JsonProperty(required = true) double epsilon,
    @JsonProperty(required = true) double weightDecay,
    @JsonProperty(required = true) double clipNorm) {

  public OptimizerConfig {
    InputError.require(learningRate > 0, "learningRate", learningRate, "more than 0");
    InputError.require(warmupSteps >= 0, "warmupSteps", warmupSteps, "0 or more");
    InputError.require(
        finalFraction >= 0 && finalFraction <= 1, "finalFraction", finalFraction, "0 to 1");
    InputError.require(beta1 >= 0 && beta1 < 1, "beta1", beta1, "0 or more, below 1");
    InputError.require(beta2 >= 0 && beta2 < 1, "beta2", beta2, "0 or more, below 1");
    InputError.require(epsilon > 0, "epsilon", epsilon, "more than 0");
    InputError.require(weightDecay >= 0, "weightDecay", weightDecay, "0 or more");
    InputError.require(clipNorm > 0, "clipNorm", clipNorm, "more than 0");
  }

  /**
   * The rate of a step.
   *
   * @param step 0 for the first
   * @param steps how many there will be
   */
  public double rate(int step, int steps) {
    return rate(learningRate, warmupSteps, finalFraction, step, steps);
  }

  static double rate(double peak, int warmup, double finalFraction, int step, int steps) {
    if (step < warmup) {
      return peak * (step + 1) / (warmup + 1);
    }
    double progress = (double) (step - warmup) / Math.max(1, steps - 1 - warmup);
    double cosine = 0.5 * (1 + StrictMath.cos(StrictMath.PI * Math.min(1, progress)));
    return peak * (finalFraction + (1 - finalFraction) * cosine);
  }
}
