package org.vstar.model.advantage;

import java.util.List;
import java.util.stream.IntStream;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;

/**
 * RLOO (arXiv 2402.14740, equation 8): the return against the mean of the other rollouts of its
 * task,
 *
 * <pre>A = r' − mean_{G without it} r',   r' = r − klWeight Σ_t ln π/π_ref</pre>
 *
 * @param rolloutsPerTask size of a group G, 1 or more
 * @param singleton the advantage in a group of one: its {@code return} or {@code zero}
 * @param rewardKlWeight klWeight of the return, 0 or more; 0.05 in TRL
 * @param normalize whether A is brought to mean 0 and deviation 1 over the step, as TRL can
 * @param epsilon ε added to that deviation, 0 or more
 */
@Group
public record LeaveOneOut(
    @Default("4") int rolloutsPerTask,
    @Default("return") Singleton singleton,
    @Default("0.0") double rewardKlWeight,
    @Default("false") boolean normalize,
    @Default("1.0e-4") double epsilon)
    implements AdvantageEstimator {

  /** Checks the ranges. */
  public LeaveOneOut {
    InvalidInputException.require(
        rolloutsPerTask > 0, "rolloutsPerTask", rolloutsPerTask, "at least 1");
    InvalidInputException.require(
        rewardKlWeight >= 0, "rewardKlWeight", rewardKlWeight, "0 or more");
    InvalidInputException.require(epsilon >= 0, "epsilon", epsilon, "0 or more");
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    double[] logRatios = step.stream().mapToDouble(ScoredTrajectory::logRatio).toArray();
    return Advantage.each(
        of(new Groups(ScoredTrajectory.tasks(step)), ScoredTrajectory.returns(step), logRatios));
  }

  /**
   * The advantage of each return.
   *
   * @param logRatios Σ ln π/π_ref of each trajectory
   */
  double[] of(Groups groups, double[] returns, double[] logRatios) {
    double[] regularized =
        IntStream.range(0, returns.length)
            .mapToDouble(
                i -> rewardKlWeight == 0 ? returns[i] : returns[i] - rewardKlWeight * logRatios[i])
            .toArray();
    Moments[] moments = groups.moments(regularized, false);
    double[] advantages =
        IntStream.range(0, returns.length)
            .mapToDouble(i -> of(regularized[i], moments[i]))
            .toArray();
    return normalize ? normalized(advantages) : advantages;
  }

  private double of(double r, Moments group) {
    double n = group.count();
    if (n == 1) {
      return singleton == Singleton.ZERO ? 0 : r;
    }
    return n / (n - 1) * (r - group.mean());
  }

  private double[] normalized(double[] advantages) {
    Moments moments = Moments.of(advantages);
    double by = moments.deviation(Deviation.SAMPLE) + epsilon;
    return IntStream.range(0, advantages.length)
        .mapToDouble(i -> (advantages[i] - moments.mean()) / by)
        .toArray();
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("leave-one-out", 1)
        .with("rolloutsPerTask", rolloutsPerTask)
        .with("singleton", singleton.word())
        .with("rewardKlWeight", rewardKlWeight)
        .with("normalize", normalize)
        .with("epsilon", epsilon);
  }
}
