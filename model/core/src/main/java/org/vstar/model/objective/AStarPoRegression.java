package org.vstar.model.objective;

import java.util.Arrays;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.ValueBaseline;

/**
 * A*-PO as published (arXiv 2505.20686, stage 2): regress the log-ratio of the whole trajectory on
 * its advantage.
 *
 * <pre>L = (β₂ ln π(y|x)/π_ref(y|x) − (r(x,y) − V*(x)))² − w H(π)</pre>
 *
 * <p>The entropy H is the mean over the agent's tokens.
 *
 * @param beta2 β₂, above 0; officially 1e-3
 * @param entropyWeight w of the entropy bonus, 0 or more, officially 1e-3
 * @param denominator which trajectories the mean is taken over: {@code all}, or those {@code kept},
 *     which have tokens and are not masked
 */
public record AStarPoRegression(
    @Default("1.0e-3") double beta2,
    @Default("0.0") double entropyWeight,
    @Default("all") Aggregation.Denominator denominator)
    implements Objective {

  /** Makes {@code astarpo-regression} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "astarpo-regression";
    }

    @Override
    public Class<AStarPoRegression> objective() {
      return AStarPoRegression.class;
    }
  }

  /** The mean over all trajectories. */
  public AStarPoRegression(double beta2, double entropyWeight) {
    this(beta2, entropyWeight, Aggregation.Denominator.ALL);
  }

  /** Checks the ranges. */
  public AStarPoRegression {
    InvalidInputException.require(beta2 > 0, "beta2", beta2, "more than 0");
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
  public boolean offPolicy() {
    return true;
  }

  @Override
  public Aggregation lossAggregation() {
    return Aggregation.ofTrajectories(denominator);
  }

  @Override
  public Loss loss(LogProbs logProbs, Advantage advantage) {
    double logRatio = 0;
    for (int t = 0; t < logProbs.length(); t++) {
      logRatio += (double) logProbs.pi()[t] - logProbs.ref()[t];
    }
    double residual = beta2 * logRatio - advantage.ofTrajectory();
    float[] logProbGradient = new float[logProbs.length()];
    Arrays.fill(logProbGradient, (float) (2 * beta2 * residual));
    double bonus = new EntropyBonus(entropyWeight).add(logProbs.pi(), logProbGradient);
    boolean counts = logProbs.length() > 0 || denominator == Aggregation.Denominator.ALL;
    double value = counts ? residual * residual + bonus : 0;
    return Loss.unclipped(value, advantage.ofTrajectory(), logProbGradient, logProbs);
  }

  @Override
  public CanonicalJson canonical() {
    CanonicalJson canonical = CanonicalJson.of("astarpo-regression", 1).with("beta2", beta2);
    if (denominator != Aggregation.Denominator.ALL) {
      canonical.with("denominator", denominator.word());
    }
    return entropyWeight == 0 ? canonical : canonical.with("entropyWeight", entropyWeight);
  }
}
