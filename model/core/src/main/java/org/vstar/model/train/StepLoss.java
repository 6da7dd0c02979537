package org.vstar.model.train;

import java.util.List;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.Scorer.LossGradient;
import org.vstar.model.objective.Objective;
import org.vstar.model.objective.Objective.LogProbs;

/**
 * The losses of the trajectories of one update; each is written by one thread, and summed in order.
 * A trajectory whose gradient is 0 whatever the policy has become is not scored again: what is told
 * of it is what it was before the step's first update.
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
    int[] tokens = new int[n];
    boolean[] masked = new boolean[n];
    for (int i = 0; i < n; i++) {
      tokens[i] = trajectories.get(i).old().length;
      masked[i] = trajectories.get(i).masked();
    }
    divisor = objective.lossAggregation().divisor(tokens, masked);
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
    return take(i, pi);
  }

  /** Takes one trajectory's loss; gives the gradient of the update's loss. */
  private float[] take(int i, float[] pi) {
    ScoredTrajectory own = trajectories.get(i);
    float[] sampled = own.trajectory().logProbabilities();
    for (int t = 0; t < pi.length; t++) {
      logRatio[i] += pi[t] - own.ref()[t];
      logPi[i] += pi[t];
      gap[i] = Math.max(gap[i], Math.abs(pi[t] - sampled[t]));
    }
    float[] gradient = new float[pi.length];
    advantage[i] = advantages.get(i).ofTrajectory();
    if (own.masked()) {
      return gradient;
    }
    Objective.Loss loss =
        objective.loss(new LogProbs(pi, own.old(), own.ref(), sampled), advantages.get(i));
    value[i] = loss.value();
    advantage[i] = loss.advantage();
    clipped[i] = loss.clipped();
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

  /** How many tokens the agent wrote in them. */
  int tokens() {
    return trajectories.stream().mapToInt(own -> own.old().length).sum();
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
    int all = 0;
    for (int each : clipped) {
      all += each;
    }
    return all;
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
