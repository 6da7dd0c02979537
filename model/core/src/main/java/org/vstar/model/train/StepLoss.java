package org.vstar.model.train;

import java.util.Arrays;
import java.util.List;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.Scorer.LossGradient;
import org.vstar.model.objective.Objective;
import org.vstar.model.objective.Objective.LogProbs;

/**
 * The losses of the trajectories of one update; each is written by one thread, and summed in order.
 * A trajectory whose gradient is 0 whatever the policy has become is not scored again: its metrics
 * are those before the step's first update.
 */
final class StepLoss implements LossGradient {

  private final Objective objective;
  private final List<ScoredTrajectory> trajectories;
  private final List<Advantage> advantages;
  private final double divisor;
  private final double[] value;
  private final double[] advantage;
  private final double[] logRatio;
  private final double[] logPi;
  private final double[] gap;
  private final int[] clipped;
  private final int[] dualClipped;
  private final double[] approxKl;
  private double norm;

  StepLoss(Objective objective, List<ScoredTrajectory> trajectories, List<Advantage> advantages) {
    this.objective = objective;
    this.trajectories = trajectories;
    this.advantages = advantages;
    int n = trajectories.size();
    value = new double[n];
    advantage = new double[n];
    logRatio = new double[n];
    logPi = new double[n];
    gap = new double[n];
    clipped = new int[n];
    dualClipped = new int[n];
    approxKl = new double[n];
    divisor =
        objective
            .lossAggregation()
            .divisor(ScoredTrajectory.tokens(trajectories), ScoredTrajectory.masked(trajectories));
    for (int i = 0; i < n; i++) {
      if (isZero(i)) {
        take(i, trajectories.get(i).old());
      }
    }
  }

  @Override
  public boolean isZero(int i) {
    return trajectories.get(i).masked() || objective.isFlat(advantages.get(i));
  }

  @Override
  public float[] of(int i, float[] pi) {
    return isZero(i) ? new float[pi.length] : take(i, pi);
  }

  /** Takes one trajectory's loss; gives the gradient of the update's loss. */
  private float[] take(int i, float[] pi) {
    ScoredTrajectory own = trajectories.get(i);
    float[] sampled = own.trajectory().logProbabilities();
    float[] gradient = new float[pi.length];
    advantage[i] = advantages.get(i).ofTrajectory();
    for (int t = 0; t < pi.length; t++) {
      gap[i] = Math.max(gap[i], Math.abs(pi[t] - sampled[t]));
    }
    if (own.masked()) {
      return gradient;
    }
    for (int t = 0; t < pi.length; t++) {
      logRatio[i] += pi[t] - own.ref()[t];
      logPi[i] += pi[t];
    }
    Objective.Loss loss =
        objective.loss(new LogProbs(pi, own.old(), own.ref(), sampled), advantages.get(i));
    value[i] = loss.value();
    advantage[i] = loss.advantage();
    clipped[i] = loss.clipped();
    dualClipped[i] = loss.dualClipped();
    approxKl[i] = loss.approxKl();
    for (int t = 0; t < pi.length; t++) {
      gradient[t] = loss.logProbGradient()[t] / (float) divisor;
    }
    return gradient;
  }

  /** Takes the norm of the gradient, before it is clipped. */
  void norm(double ofGradient) {
    norm = ofGradient;
  }

  double norm() {
    return norm;
  }

  /** The loss: what is masked has none. */
  double loss() {
    return sum(value) / divisor;
  }

  boolean finite() {
    return Double.isFinite(loss()) && Double.isFinite(norm);
  }

  /** How many trajectories it is of. */
  int size() {
    return trajectories.size();
  }

  /** How many tokens the agent wrote in those that are not masked. */
  int tokens() {
    return trajectories.stream()
        .filter(own -> !own.masked())
        .mapToInt(own -> own.old().length)
        .sum();
  }

  int countMasked() {
    return (int) trajectories.stream().filter(ScoredTrajectory::masked).count();
  }

  /** Sum of what weighed the trajectories. */
  double sumOfAdvantages() {
    return sum(advantage);
  }

  /** Sum of ln π/π_ref over trajectories. */
  double sumOfLogRatios() {
    return sum(logRatio);
  }

  /** Sum of ln π over tokens. */
  double sumOfLogPi() {
    return sum(logPi);
  }

  /** Tokens whose ratio is clipped. */
  int sumOfClipped() {
    return Arrays.stream(clipped).sum();
  }

  /** Tokens whose loss is clipped from above. */
  int sumOfDualClipped() {
    return Arrays.stream(dualClipped).sum();
  }

  /** Sum of ln π_old/π over tokens. */
  double sumOfApproxKl() {
    return sum(approxKl);
  }

  /** Largest difference of a sampled and a scored log-probability. */
  double largestGap() {
    double largest = 0;
    for (double each : gap) {
      largest = Math.max(largest, each);
    }
    return largest;
  }

  private static double sum(double[] x) {
    double sum = 0;
    for (double each : x) {
      sum += each;
    }
    return sum;
  }
}
