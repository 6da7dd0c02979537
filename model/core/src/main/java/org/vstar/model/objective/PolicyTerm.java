package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * The part of a loss that an advantage A weighs, by the ratio ρ of the policy to the one that
 * sampled (PPO, arXiv 1707.06347, equation 7):
 *
 * <pre>
 * l = max(−min(ρ, ratioMax) A, −clip(ρ, 1 − clipLow, 1 + clipHigh) A)
 * A &lt; 0:  l = min(l, −dualClip A)
 * </pre>
 *
 * @param surrogate the factor of A: {@code clipped} (the clipped ratio) or {@code log-probability}
 * @param clipLow 0 to 1
 * @param clipHigh 0 or more; DAPO: 0.28 (clip-higher)
 * @param dualClip more than 1; absent for none (arXiv 1912.09729; verl: 3)
 * @param ratioMax bound of the ratio that is not clipped, above 0; absent for none (TRL's delta)
 * @param logRatioBound bound of |ln ρ|, beyond which there is no gradient, above 0; absent for none
 *     (verl: 20)
 */
@Group
public record PolicyTerm(
    @Default("clipped") Surrogate surrogate,
    @Default("0.2") double clipLow,
    @Default("0.2") double clipHigh,
    @OptionalKey Double dualClip,
    @OptionalKey Double ratioMax,
    @OptionalKey Double logRatioBound) {

  /** What the advantage is multiplied with. */
  public enum Surrogate {
    /** The ratio, clipped. */
    @JsonProperty("clipped")
    CLIPPED,
    /** ln π: the plain policy gradient, for data of the policy itself. */
    @JsonProperty("log-probability")
    LOG_PROBABILITY;

    String word() {
      return this == CLIPPED ? "clipped" : "log-probability";
    }
  }

  /**
   * The term of one ratio.
   *
   * @param slope d value / d ln π
   * @param clipped whether the clip holds
   * @param dualClipped whether the dual clip does
   */
  record Term(double value, double slope, boolean clipped, boolean dualClipped) {}

  /** Checks the ranges. */
  public PolicyTerm {
    InvalidInputException.require(clipLow >= 0 && clipLow <= 1, "clipLow", clipLow, "0 to 1");
    InvalidInputException.require(clipHigh >= 0, "clipHigh", clipHigh, "0 or more");
    InvalidInputException.require(
        dualClip == null || dualClip > 1, "dualClip", dualClip, "more than 1");
    InvalidInputException.require(
        ratioMax == null || ratioMax > 0, "ratioMax", ratioMax, "more than 0");
    InvalidInputException.require(
        logRatioBound == null || logRatioBound > 0, "logRatioBound", logRatioBound, "more than 0");
  }

  /**
   * The term.
   *
   * @param logPi ln π of a token, or of what the ratio is taken of
   * @param logRatio ln ρ of the same
   */
  Term of(double logPi, double logRatio, double advantage) {
    if (surrogate == Surrogate.LOG_PROBABILITY) {
      return new Term(-advantage * logPi, -advantage, false, false);
    }
    boolean bounded = logRatioBound != null && Math.abs(logRatio) > logRatioBound;
    double rho = Math.exp(bounded ? Math.copySign(logRatioBound, logRatio) : logRatio);
    boolean capped = ratioMax != null && rho > ratioMax;
    boolean outside = rho < 1 - clipLow || rho > 1 + clipHigh;
    double plain = -(capped ? ratioMax : rho) * advantage;
    double clip = -Math.max(1 - clipLow, Math.min(1 + clipHigh, rho)) * advantage;
    // A value that is not a number stays one: comparisons with it are false.
    boolean larger = clip > plain;
    double value = larger ? clip : plain;
    boolean dual = dualClip != null && advantage < 0 && value > -dualClip * advantage;
    value = dual ? -dualClip * advantage : value;
    boolean flat = dual || bounded || (larger ? outside : capped);
    return new Term(value, flat ? 0 : -rho * advantage, larger && outside, dual);
  }

  /** ln π_old/π of a token within the bound: its part of an estimate of KL(π_old‖π). */
  double moved(double logPi, double logOld) {
    double moved = logOld - logPi;
    return logRatioBound == null ? moved : Math.max(-logRatioBound, Math.min(logRatioBound, moved));
  }

  /** For fingerprints. */
  CanonicalJson canonical() {
    return CanonicalJson.of("policy-term", 1)
        .with("surrogate", surrogate.word())
        .with("clipLow", clipLow)
        .with("clipHigh", clipHigh)
        .with("dualClip", dualClip)
        .with("ratioMax", ratioMax)
        .with("logRatioBound", logRatioBound);
  }
}
