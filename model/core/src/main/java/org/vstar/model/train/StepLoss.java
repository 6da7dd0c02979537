package org.vstar.model.train;

import java.util.List;
import org.vstar.model.objective.Objective;
import org.vstar.model.rollout.Trajectory;

/** The losses of one step's trajectories; each is written by one thread, and summed in order. */
final class StepLoss {
  final List<Trajectory> trajectories;
  final boolean[] masked;
  final double[] value;
  final double[] advantage;
  final double[] logRatio;
  final double[] logPi;
  final double[] gap;
  double norm;

  StepLoss(List<Trajectory> trajectories, boolean[] masked) {
    this.trajectories = trajectories;
    this.masked = masked;
    int n = trajectories.size();
    value = new double[n];
    advantage = new double[n];
    logRatio = new double[n];
    logPi = new double[n];
    gap = new double[n];
  }

  /** Takes one trajectory's loss; gives the gradient of the step's mean loss. */
  float[] take(int i, float[] pi, float[] ref, Objective.Loss loss) {
    value[i] = loss.value();
    advantage[i] = loss.advantage();
    float[] sampled = trajectories.get(i).logProbabilities();
    float[] mean = loss.logProbGradient().clone();
    for (int t = 0; t < pi.length; t++) {
      mean[t] = masked[i] ? 0 : mean[t] / trajectories.size();
      logRatio[i] += pi[t] - ref[t];
      logPi[i] += pi[t];
      gap[i] = Math.max(gap[i], Math.abs(pi[t] - sampled[t]));
    }
    return mean;
  }

  int countMasked() {
    int count = 0;
    for (boolean one : masked) {
      count += one ? 1 : 0;
    }
    return count;
  }

  double mean(double[] x) {
    double sum = 0;
    for (double v : x) {
      sum += v;
    }
    return sum / x.length;
  }

  boolean finite() {
    return Double.isFinite(mean(value)) && Double.isFinite(norm);
  }
}
