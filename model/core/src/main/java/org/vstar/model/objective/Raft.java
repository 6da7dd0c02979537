package org.vstar.model.objective;

import java.util.Arrays;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.Successes;

/**
 * RAFT (arXiv 2304.06767): imitates the trajectories that succeeded, and no others. It knows
 * neither a baseline nor the reference policy; every other method has to beat it.
 *
 * <pre>L = −(1/n) Σ_t ln π(y_t)   where y succeeded, else 0</pre>
 *
 * @param entropyWeight w of the entropy bonus, 0 or more
 */
public record Raft(@Default("0.0") double entropyWeight) implements Objective {

  /** Makes {@code raft} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "raft";
    }

    @Override
    public Class<Raft> objective() {
      return Raft.class;
    }
  }

  /** Checks the range. */
  public Raft {
    InvalidInputException.require(entropyWeight >= 0, "entropyWeight", entropyWeight, "0 or more");
  }

  @Override
  public String method() {
    return "RAFT";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return new Successes();
  }

  @Override
  public boolean readsBaselines() {
    return false;
  }

  @Override
  public boolean readsReference() {
    return false;
  }

  @Override
  public boolean offPolicy() {
    return true;
  }

  @Override
  public boolean readsSuccessesOnly() {
    return true;
  }

  @Override
  public boolean isFlat(Advantage advantage) {
    return advantage.isZero();
  }

  @Override
  public Loss loss(LogProbs logProbs, Advantage advantage) {
    int n = logProbs.length();
    float[] gradient = new float[n];
    if (n == 0 || advantage.isZero()) {
      return Loss.unclipped(0, advantage.ofTrajectory(), gradient, logProbs);
    }
    double sum = 0;
    for (float logPi : logProbs.pi()) {
      sum += logPi;
    }
    Arrays.fill(gradient, (float) (-advantage.ofTrajectory() / n));
    double bonus = new EntropyBonus(entropyWeight).add(logProbs.pi(), gradient);
    double value = -advantage.ofTrajectory() * sum / n + bonus;
    return Loss.unclipped(value, advantage.ofTrajectory(), gradient, logProbs);
  }

  @Override
  public CanonicalJson canonical() {
    return CanonicalJson.of("raft", 1).with("entropyWeight", entropyWeight);
  }
}
