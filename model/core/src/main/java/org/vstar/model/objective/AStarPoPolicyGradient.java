package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.ValueBaseline;

/**
 * A*-PO as a policy gradient with V* for its baseline, log-probabilities normalised by length.
 *
 * <pre>
 * A = clip(r + β₂ ln π_ref/π − V*)                  (a constant: no gradient through it)
 * L = −A · ln π(y|x) + λ KL(π‖π_ref) − w H(π)
 * </pre>
 *
 * <p>The divergence is estimated on the sampled tokens by ½ (ln π/π_ref)² (Schulman's k2). It is
 * never negative. Its gradient, ln π/π_ref, is an unbiased estimate of the gradient of KL(π‖π_ref)
 * of each token given the tokens before it. (That of k3, ρ − 1 − ln ρ with ρ = π_ref/π, is the
 * gradient of KL(π_ref‖π), and explodes where π ≪ π_ref.)
 *
 * @param beta2 β₂, 0 or more
 * @param klWeight λ, 0 or more
 * @param advantageClip bound of |A|, above 0
 * @param entropyWeight w of the entropy bonus, 0 or more
 * @param denominator which trajectories the mean is taken over: {@code all}, or those {@code kept},
 *     which have tokens and are not masked
 */
@FormerKey(value = "clamp", now = "advantageClip")
public record AStarPoPolicyGradient(
    @Default("1.0e-3") double beta2,
    @Default("0.02") double klWeight,
    @Default("2.0") double advantageClip,
    @Default("0.0") double entropyWeight,
    @Default("all") Aggregation.Denominator denominator)
    implements Objective {

  /** Makes {@code astarpo-policy-gradient} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "astarpo-policy-gradient";
    }

    @Override
    public Class<AStarPoPolicyGradient> objective() {
      return AStarPoPolicyGradient.class;
    }
  }

  /** The mean over all trajectories. */
  public AStarPoPolicyGradient(
      double beta2, double klWeight, double advantageClip, double entropyWeight) {
    this(beta2, klWeight, advantageClip, entropyWeight, Aggregation.Denominator.ALL);
  }

  /** Checks the ranges. */
  public AStarPoPolicyGradient {
    InvalidInputException.require(beta2 >= 0, "beta2", beta2, "0 or more");
    InvalidInputException.require(klWeight >= 0, "klWeight", klWeight, "0 or more");
    InvalidInputException.require(advantageClip > 0, "advantageClip", advantageClip, "more than 0");
    InvalidInputException.require(entropyWeight >= 0, "entropyWeight", entropyWeight, "0 or more");
  }

  @Override
  public String method() {
    return "A*-PO";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return new ValueBaseline(baselines.values());
  }

  @Override
  public Aggregation lossAggregation() {
    return Aggregation.ofTrajectories(denominator);
  }

  @Override
  public Loss loss(LogProbs logProbs, Advantage advantage) {
    int n = logProbs.length();
    float[] pi = logProbs.pi();
    float[] ref = logProbs.ref();
    double meanLogPi = 0;
    double meanLogRatio = 0;
    double kl = 0;
    for (int t = 0; t < n; t++) {
      double logRho = (double) ref[t] - pi[t];
      meanLogPi += pi[t] / (double) n;
      meanLogRatio += logRho / n;
      kl += 0.5 * logRho * logRho / n;
    }
    double raw = advantage.ofTrajectory() + beta2 * meanLogRatio;
    double clipped = Math.max(-advantageClip, Math.min(advantageClip, raw));
    float[] logProbGradient = new float[n];
    for (int t = 0; t < n; t++) {
      double klGradient = (double) pi[t] - ref[t];
      logProbGradient[t] = (float) ((-clipped + klWeight * klGradient) / n);
    }
    double bonus = new EntropyBonus(entropyWeight).add(pi, logProbGradient);
    double value = -clipped * meanLogPi + klWeight * kl + bonus;
    return Loss.unclipped(value, clipped, logProbGradient, logProbs);
  }

  @Override
  public CanonicalJson canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("astarpo-policy-gradient", 1)
            .with("beta2", beta2)
            .with("klWeight", klWeight)
            .with("advantageClip", advantageClip);
    if (denominator != Aggregation.Denominator.ALL) {
      canonical.with("denominator", denominator.word());
    }
    return entropyWeight == 0 ? canonical : canonical.with("entropyWeight", entropyWeight);
  }
}
