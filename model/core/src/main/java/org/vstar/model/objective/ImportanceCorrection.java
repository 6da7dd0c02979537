package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.Locale;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * Corrects for a sampler whose probabilities differ from the trainer's: another engine, or a policy
 * of some updates ago. A weight w = exp(ln numerator − ln sampled) multiplies the policy term, as a
 * constant; whole trajectories can be rejected.
 *
 * @param numerator whose probability is set against the sampler's: the policy's before the step's
 *     first update ({@code old}), or {@code current}
 * @param weight what has a weight: each {@code token}, or the {@code sequence}; absent for none
 * @param weightMin least weight, 0 or more; absent for none
 * @param weightMax largest weight, above 0; absent for none (SkyRL: 2 for tokens, 5 for sequences;
 *     TRL: 3)
 * @param outside what becomes of a weight outside: {@code truncate} it to the bound, or {@code
 *     zero}
 * @param logBound bound of |ln w| before exp, above 0; absent for none
 * @param reject which trajectories are masked; absent for none
 */
public record ImportanceCorrection(
    @Default("old") Numerator numerator,
    @OptionalKey Of weight,
    @OptionalKey Double weightMin,
    @OptionalKey Double weightMax,
    @Default("truncate") Outside outside,
    @OptionalKey Double logBound,
    @OptionalKey Rejection reject) {

  /** Whose probability is set against the sampler's. */
  public enum Numerator {
    /** The policy's before the step's first update. */
    @JsonProperty("old")
    OLD,
    /** The policy's as it is now. */
    @JsonProperty("current")
    CURRENT;

    String word() {
      return this == OLD ? "old" : "current";
    }
  }

  /** What has a weight. */
  public enum Of {
    /** Each token. */
    @JsonProperty("token")
    TOKEN,
    /** The whole trajectory, by the product over its tokens. */
    @JsonProperty("sequence")
    SEQUENCE;

    String word() {
      return this == TOKEN ? "token" : "sequence";
    }
  }

  /** What becomes of a weight outside its range. */
  public enum Outside {
    /** It is the bound (truncated importance sampling). */
    @JsonProperty("truncate")
    TRUNCATE,
    /** It is 0 (IcePop; TRL's masks). */
    @JsonProperty("zero")
    ZERO;

    String word() {
      return this == TRUNCATE ? "truncate" : "zero";
    }
  }

  /**
   * Masks trajectories by their ratios π_old/π_sampled.
   *
   * @param by which ratio: the {@code geometric-mean} over tokens, their {@code product}, or {@code
   *     any-token}
   * @param low least ratio that stays, 0 or more
   * @param high largest ratio that stays
   */
  public record Rejection(By by, double low, double high) {

    /** Which ratio is looked at. */
    public enum By {
      /** exp of the mean of ln ratio over the tokens. */
      @JsonProperty("geometric-mean")
      GEOMETRIC_MEAN,
      /** The product over the tokens. */
      @JsonProperty("product")
      PRODUCT,
      /** That of each token. */
      @JsonProperty("any-token")
      ANY_TOKEN;

      String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
      }
    }

    /** Checks the ranges. */
    public Rejection {
      InvalidInputException.require(low >= 0, "reject.low", low, "0 or more");
      InvalidInputException.require(high >= low, "reject.high", high, "reject.low or more");
    }

    private boolean outside(double logRatio) {
      double ratio = Math.exp(logRatio);
      return ratio < low || ratio > high;
    }

    boolean rejects(double[] logRatios) {
      if (logRatios.length == 0) {
        return false;
      }
      double sum = Arrays.stream(logRatios).sum();
      return switch (by) {
        case GEOMETRIC_MEAN -> outside(sum / logRatios.length);
        case PRODUCT -> outside(sum);
        case ANY_TOKEN -> Arrays.stream(logRatios).anyMatch(this::outside);
      };
    }
  }

  /** Checks the ranges. */
  public ImportanceCorrection {
    InvalidInputException.require(
        weightMin == null || weightMin >= 0, "correction.weightMin", weightMin, "0 or more");
    InvalidInputException.require(
        weightMax == null || weightMax > 0 && (weightMin == null || weightMax >= weightMin),
        "correction.weightMax",
        weightMax,
        "more than 0, and correction.weightMin or more");
    InvalidInputException.require(
        weight != null || reject != null,
        "correction",
        "without weight and reject",
        "one of them, else it does nothing");
    InvalidInputException.require(
        reject == null || numerator == Numerator.OLD,
        "correction.numerator",
        numerator.word(),
        "old with correction.reject: trajectories are masked before the first update");
    InvalidInputException.require(
        logBound == null || logBound > 0, "correction.logBound", logBound, "more than 0");
  }

  /**
   * Whether a trajectory is masked.
   *
   * @param old ln π of the agent's tokens before the first update
   * @param sampled ln of the probabilities that they were sampled with
   */
  public boolean rejects(float[] old, float[] sampled) {
    return reject != null && reject.rejects(logRatios(old, sampled));
  }

  private static double[] logRatios(float[] numerator, float[] sampled) {
    double[] ratios = new double[sampled.length];
    Arrays.setAll(ratios, t -> (double) numerator[t] - sampled[t]);
    return ratios;
  }

  /** The weight of each token. */
  double[] weights(Objective.LogProbs p) {
    double[] weights = new double[p.length()];
    if (weight == null) {
      Arrays.fill(weights, 1);
      return weights;
    }
    double[] ratios = logRatios(numerator == Numerator.OLD ? p.old() : p.pi(), p.sampled());
    if (weight == Of.SEQUENCE) {
      Arrays.fill(weights, weight(Arrays.stream(ratios).sum()));
    } else {
      Arrays.setAll(weights, t -> weight(ratios[t]));
    }
    return weights;
  }

  private double weight(double logRatio) {
    double bounded =
        logBound == null ? logRatio : Math.max(-logBound, Math.min(logBound, logRatio));
    double w = Math.exp(bounded);
    double least = weightMin == null ? 0 : weightMin;
    double most = weightMax == null ? Double.POSITIVE_INFINITY : weightMax;
    if (w >= least && w <= most) {
      return w;
    }
    return outside == Outside.ZERO ? 0 : Math.max(least, Math.min(most, w));
  }

  /** For fingerprints. */
  CanonicalJson canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("importance-correction", 1)
            .with("numerator", numerator.word())
            .with("weight", weight == null ? null : weight.word())
            .with("weightMin", weightMin)
            .with("weightMax", weightMax)
            .with("outside", outside.word())
            .with("logBound", logBound);
    if (reject != null) {
      canonical
          .with("reject.by", reject.by.word())
          .with("reject.low", reject.low)
          .with("reject.high", reject.high);
    }
    return canonical;
  }
}
