package org.vstar.model.objective;

import java.util.Arrays;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.objective.Objective.LogProbs;
import org.vstar.model.objective.Objective.Loss;

/**
 * A loss of tokens, which most methods share: the policy term, times an importance weight; the
 * divergence from the reference; a bonus for entropy.
 *
 * <pre>l_t = w_t · policy_t + klWeight · kl_t + entropyWeight · (ln π)²/2</pre>
 *
 * @param policy the policy term
 * @param kl the divergence
 * @param entropyWeight of the bonus, 0 or more: see {@link EntropyBonus}
 * @param correction for a sampler that differs from the trainer; absent for none
 * @param denominator what means over trajectories and tokens are taken over: {@code all} of them,
 *     or those {@code kept}, which have tokens and are not masked
 * @param maxLength L of the aggregations that divide by a constant, in tokens
 */
@Group
public record TokenLoss(
    PolicyTerm policy,
    KlPenalty kl,
    @Default("0.0") double entropyWeight,
    @OptionalKey ImportanceCorrection correction,
    @Default("kept") Aggregation.Denominator denominator,
    @Default("1024") int maxLength) {

  /** Checks the ranges. */
  public TokenLoss {
    InvalidInputException.require(entropyWeight >= 0, "entropyWeight", entropyWeight, "0 or more");
    InvalidInputException.require(maxLength > 0, "maxLength", maxLength, "at least 1");
  }

  /** Refuses settings of a method that do not go together. */
  void requireFits(Ratio ratio, Aggregation.Mode mode) {
    if (ratio != Ratio.SEQUENCE_SUM) {
      return;
    }
    InvalidInputException.require(
        mode == Aggregation.Mode.SEQ_MEAN_TOKEN_SUM,
        "aggregation",
        mode.word(),
        "seq-mean-token-sum with ratio: sequence-sum, which has one loss a trajectory");
    InvalidInputException.require(
        correction == null || correction.weight() != ImportanceCorrection.Of.TOKEN,
        "correction.weight",
        "token",
        "sequence with ratio: sequence-sum, which has one loss a trajectory");
  }

  /** Refuses, besides, one loss a trajectory where each token has an advantage of its own. */
  void requireFitsTokens(Ratio ratio, Aggregation.Mode mode) {
    InvalidInputException.require(
        ratio != Ratio.SEQUENCE_SUM,
        "ratio",
        ratio.word(),
        "token or sequence-mean: each token has an advantage of its own");
    requireFits(ratio, mode);
  }

  /** How it is aggregated. */
  Aggregation aggregation(Aggregation.Mode mode) {
    return new Aggregation(mode, denominator, maxLength);
  }

  /** Whether it looks at the reference policy. */
  boolean readsReference() {
    return kl.klWeight() > 0;
  }

  /** Whether its gradient is 0 where an advantage is. */
  boolean isZeroWithoutAdvantage() {
    return kl.klWeight() == 0 && entropyWeight == 0;
  }

  /** The loss of a trajectory. */
  Loss of(LogProbs p, Advantage advantage, Ratio ratio, Aggregation.Mode mode) {
    int n = p.length();
    double[] weights = new double[n];
    Arrays.fill(weights, 1);
    Sum sum = new Sum(n, correction == null ? weights : correction.weights(p));
    boolean plain = policy.surrogate() == PolicyTerm.Surrogate.LOG_PROBABILITY;
    switch (plain ? Ratio.TOKEN : ratio) {
      case TOKEN -> ofTokens(p, advantage, sum);
      case SEQUENCE_MEAN -> ofMean(p, advantage, sum);
      case SEQUENCE_SUM -> ofSum(p, advantage, sum);
    }
    double moved = 0;
    for (int t = 0; t < n; t++) {
      double logPi = p.pi()[t];
      moved += policy.moved(logPi, p.old()[t]);
      sum.value += entropyWeight * logPi * logPi / 2;
      sum.gradient[t] += entropyWeight * logPi;
      if (kl.klWeight() > 0) {
        sum.value += kl.value(logPi, p.ref()[t]);
        sum.gradient[t] += kl.gradient(logPi, p.ref()[t]);
      }
    }
    double scale = aggregation(mode).scale(n);
    float[] gradient = new float[n];
    for (int t = 0; t < n; t++) {
      gradient[t] = (float) (scale * sum.gradient[t]);
    }
    boolean counts = n > 0 || denominator == Aggregation.Denominator.ALL;
    return new Loss(
        counts ? scale * sum.value : 0,
        advantage.ofTrajectory(),
        gradient,
        sum.clipped,
        sum.dualClipped,
        moved);
  }

  /** What the terms of a trajectory add up to. */
  private static final class Sum {
    private final double[] weights;
    private final double[] gradient;
    private double value;
    private int clipped;
    private int dualClipped;

    Sum(int tokens, double[] weights) {
      this.weights = weights;
      gradient = new double[tokens];
    }

    void count(PolicyTerm.Term term) {
      clipped += term.clipped() ? 1 : 0;
      dualClipped += term.dualClipped() ? 1 : 0;
    }
  }

  private void ofTokens(LogProbs p, Advantage advantage, Sum sum) {
    for (int t = 0; t < p.length(); t++) {
      double logPi = p.pi()[t];
      PolicyTerm.Term term = policy.of(logPi, logPi - p.old()[t], advantage.at(t));
      sum.value += sum.weights[t] * term.value();
      sum.gradient[t] += sum.weights[t] * term.slope();
      sum.count(term);
    }
  }

  /** Every token has the ratio of the whole, to which each adds 1/n. */
  private void ofMean(LogProbs p, Advantage advantage, Sum sum) {
    int n = p.length();
    double mean = logRatio(p) / n;
    double slope = 0;
    for (int t = 0; t < n; t++) {
      PolicyTerm.Term term = policy.of(p.pi()[t], mean, advantage.at(t));
      sum.value += sum.weights[t] * term.value();
      slope += sum.weights[t] * term.slope();
      sum.count(term);
    }
    for (int t = 0; t < n; t++) {
      sum.gradient[t] += slope / n;
    }
  }

  /** One number for the whole. */
  private void ofSum(LogProbs p, Advantage advantage, Sum sum) {
    double logPi = 0;
    for (float each : p.pi()) {
      logPi += each;
    }
    double weight = p.length() == 0 ? 1 : sum.weights[0];
    PolicyTerm.Term term = policy.of(logPi, logRatio(p), advantage.ofTrajectory());
    sum.value += weight * term.value();
    for (int t = 0; t < p.length(); t++) {
      sum.gradient[t] += weight * term.slope();
      sum.count(term);
    }
  }

  private static double logRatio(LogProbs p) {
    double sum = 0;
    for (int t = 0; t < p.length(); t++) {
      sum += (double) p.pi()[t] - p.old()[t];
    }
    return sum;
  }

  /** For fingerprints. */
  CanonicalJson canonical(CanonicalJson into, Ratio ratio, Aggregation.Mode mode) {
    return into.with("policy", policy.canonical())
        .with("kl", kl.canonical())
        .with("entropyWeight", entropyWeight)
        .with("correction", correction == null ? null : correction.canonical())
        .with("denominator", denominator.word())
        .with("maxLength", maxLength)
        .with("ratio", ratio.word())
        .with("aggregation", mode.word());
  }
}
