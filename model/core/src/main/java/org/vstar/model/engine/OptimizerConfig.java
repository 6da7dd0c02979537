package org.vstar.model.engine;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;

/**
 * AdamW or Muon, and the schedule of the learning rate: linear warm-up, then cosine decay.
 *
 * @param learningRate the peak
 * @param warmupSteps steps over which the rate rises from 0 to the peak
 * @param finalFraction the rate of the last step as a fraction of the peak
 * @param adamBeta1 decay of the first moment
 * @param adamBeta2 decay of the second moment
 * @param epsilon added to the root of the second moment
 * @param weightDecay decoupled, on matrices only
 * @param clipNorm largest norm of a gradient
 * @param momentum of Muon (Jordan et al. 2024), below 1; 0.95 is usual. Muon then steps the
 *     matrices of the blocks, AdamW all else. With 0, AdamW steps all
 */
@FormerKey(value = "beta1", now = "adamBeta1")
@FormerKey(value = "beta2", now = "adamBeta2")
public record OptimizerConfig(
    double learningRate,
    @Default("0") int warmupSteps,
    @Default("0.1") double finalFraction,
    @Default("0.9") double adamBeta1,
    @Default("0.98") double adamBeta2,
    @Default("1.0e-8") double epsilon,
    @Default("0.0") double weightDecay,
    @Default("1.0") double clipNorm,
    @Default("0.0") double momentum)
    implements Serializable {

  /** Checks the ranges. */
  public OptimizerConfig {
    InvalidInputException.require(learningRate > 0, "learningRate", learningRate, "more than 0");
    InvalidInputException.require(warmupSteps >= 0, "warmupSteps", warmupSteps, "0 or more");
    InvalidInputException.require(
        finalFraction >= 0 && finalFraction <= 1, "finalFraction", finalFraction, "0 to 1");
    InvalidInputException.require(
        adamBeta1 >= 0 && adamBeta1 < 1, "adamBeta1", adamBeta1, "0 or more, below 1");
    InvalidInputException.require(
        adamBeta2 >= 0 && adamBeta2 < 1, "adamBeta2", adamBeta2, "0 or more, below 1");
    InvalidInputException.require(epsilon > 0, "epsilon", epsilon, "more than 0");
    InvalidInputException.require(weightDecay >= 0, "weightDecay", weightDecay, "0 or more");
    InvalidInputException.require(clipNorm > 0, "clipNorm", clipNorm, "more than 0");
    InvalidInputException.require(
        momentum >= 0 && momentum < 1, "momentum", momentum, "0 or more, below 1");
  }

  /** AdamW. */
  public OptimizerConfig(
      double learningRate,
      int warmupSteps,
      double finalFraction,
      double adamBeta1,
      double adamBeta2,
      double epsilon,
      double weightDecay,
      double clipNorm) {
    this(
        learningRate,
        warmupSteps,
        finalFraction,
        adamBeta1,
        adamBeta2,
        epsilon,
        weightDecay,
        clipNorm,
        0);
  }

  /** Whether Muon steps the matrices of the blocks. */
  public boolean muon() {
    return momentum > 0;
  }

  /** The same with Muon for the matrices of the blocks. */
  public OptimizerConfig withMuon(double itsMomentum) {
    return new OptimizerConfig(
        learningRate,
        warmupSteps,
        finalFraction,
        adamBeta1,
        adamBeta2,
        epsilon,
        weightDecay,
        clipNorm,
        itsMomentum);
  }

  /**
   * The rate of a step.
   *
   * @param step 0 for the first
   * @param steps how many there will be
   */
  public double rate(int step, int steps) {
    return scheduledRate(learningRate, warmupSteps, finalFraction, step, steps);
  }

  /**
   * The rate of a step.
   *
   * @param peak the rate after the warm-up
   * @param warmup steps of the warm-up
   */
  public static double scheduledRate(
      double peak, int warmup, double finalFraction, int step, int steps) {
    if (step < warmup) {
      return peak * (step + 1) / (warmup + 1);
    }
    double progress = (double) (step - warmup) / Math.max(1, steps - 1 - warmup);
    double cosine = 0.5 * (1 + StrictMath.cos(StrictMath.PI * Math.min(1, progress)));
    return peak * (finalFraction + (1 - finalFraction) * cosine);
  }

  /** What a training run's fingerprint is taken of. */
  public CanonicalJson canonical() {
    CanonicalJson json =
        CanonicalJson.of("optimizer", 1)
            .with("learningRate", learningRate)
            .with("warmupSteps", warmupSteps)
            .with("finalFraction", finalFraction)
            .with("adamBeta1", adamBeta1)
            .with("adamBeta2", adamBeta2)
            .with("epsilon", epsilon)
            .with("weightDecay", weightDecay)
            .with("clipNorm", clipNorm);
    return momentum == 0 ? json : json.with("momentum", momentum);
  }
}
