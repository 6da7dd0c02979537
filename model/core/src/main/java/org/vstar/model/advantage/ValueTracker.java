package org.vstar.model.advantage;

import java.util.Map;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;

/**
 * SPO's tracker of what each task is worth to the policy (arXiv 2509.13232): an exponential mean of
 * its returns, which forgets the faster the more the policy has changed since the task was taken
 * last.
 *
 * <pre>
 * ρ = clip(2^(−D/klHalfLife), rhoMin, rhoMax)
 * n ← ρ n + 1,   v ← v + (r − v) / n
 * A = r − v before its update, brought to mean 0 and deviation 1 over the step
 * </pre>
 *
 * <p>D is the mean of |ln π/π_then| over the tokens of the task's last trajectory, π_then being the
 * policy that wrote it. With returns in [0, 1], v and n are the mean and the weight of the paper's
 * Beta distribution: v = α/(α + β), n = α + β. A step that takes a task a second time scores the
 * trajectory of the first.
 *
 * @param priorFromReference whether a task's first v is (n m + ½)/(n + 1), m being the mean return
 *     of the reference policy's samples and n = 1/(1 − rhoMin); else it is ½ with n = 1, which
 *     needs no stage 1
 * @param klHalfLife D at which half of what is known is forgotten, more than 0
 * @param rhoMin least ρ, 0 to 1
 * @param rhoMax largest ρ, rhoMin to 1
 */
@Group
public record ValueTracker(
    @Default("true") boolean priorFromReference,
    @Default("0.06") double klHalfLife,
    @Default("0.875") double rhoMin,
    @Default("0.96") double rhoMax) {

  /**
   * A task's value.
   *
   * @param value v
   * @param weight n
   */
  record Tracked(double value, double weight) {}

  /** Checks the ranges. */
  public ValueTracker {
    InvalidInputException.require(klHalfLife > 0, "klHalfLife", klHalfLife, "more than 0");
    InvalidInputException.require(
        rhoMin >= 0 && rhoMin < 1, "rhoMin", rhoMin, "0 or more, less than 1");
    InvalidInputException.require(
        rhoMax >= rhoMin && rhoMax <= 1, "rhoMax", rhoMax, "rhoMin or more, at most 1");
  }

  /** The value of a task that has not been taken yet. */
  Tracked first(Map<String, Double> means, String task) {
    if (!priorFromReference) {
      return new Tracked(0.5, 1);
    }
    double n = 1 / (1 - rhoMin);
    return new Tracked((n * means.getOrDefault(task, Double.NaN) + 0.5) / (n + 1), n);
  }

  /**
   * ρ.
   *
   * @param divergence D
   */
  double retention(double divergence) {
    return Math.min(rhoMax, Math.max(rhoMin, Math.pow(2, -divergence / klHalfLife)));
  }

  /** The value after a return. */
  static Tracked after(Tracked before, double rho, double episodeReturn) {
    double n = rho * before.weight + 1;
    return new Tracked(before.value + (episodeReturn - before.value) / n, n);
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("value-tracker", 1)
        .with("priorFromReference", priorFromReference)
        .with("klHalfLife", klHalfLife)
        .with("rhoMin", rhoMin)
        .with("rhoMax", rhoMax);
  }
}
