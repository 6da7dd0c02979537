package org.vstar.model.advantage;

import java.util.Arrays;
import java.util.List;
import org.vstar.model.rollout.Trajectory;

/**
 * A trajectory of a step, with what the trainer knows of it before the first update.
 *
 * @param old ln π of the agent's tokens under the policy that is trained, in order
 * @param ref ln π_ref of the same
 * @param masked whether it is left out of the update, because sampling and scoring differ too much
 */
public record ScoredTrajectory(Trajectory trajectory, float[] old, float[] ref, boolean masked) {

  /** The ids of the tasks. */
  static List<String> tasks(List<ScoredTrajectory> step) {
    return step.stream().map(s -> s.trajectory().task().id()).toList();
  }

  /** The returns r(x,y). */
  static double[] returns(List<ScoredTrajectory> step) {
    return step.stream().mapToDouble(s -> s.trajectory().episodeReturn()).toArray();
  }

  /** Which are masked. */
  public static boolean[] masked(List<ScoredTrajectory> step) {
    boolean[] masked = new boolean[step.size()];
    for (int i = 0; i < masked.length; i++) {
      masked[i] = step.get(i).masked;
    }
    return masked;
  }

  /** How many tokens the agent wrote in each. */
  public static int[] tokens(List<ScoredTrajectory> step) {
    return step.stream().mapToInt(s -> s.old.length).toArray();
  }

  /** Σ ln π/π_ref over the agent's tokens, an estimate of the divergence from the reference. */
  double logRatio() {
    double sum = 0;
    for (int t = 0; t < old.length; t++) {
      sum += (double) old[t] - ref[t];
    }
    return sum;
  }

  /**
   * The reward of each agent token: a turn's reward stands on the last token of its answer.
   *
   * <p>The reward of a turn without tokens goes to the token before it, and, if there is none, to
   * the one after it; a trajectory without tokens has none.
   *
   * @param klWeight what ln π/π_ref of each token is multiplied with before it is taken off
   */
  double[] tokenRewards(double klWeight) {
    double[] rewards = new double[old.length];
    int[] ends = turnEnds();
    for (int turn = 0; turn < ends.length; turn++) {
      if (rewards.length > 0) {
        rewards[Math.max(0, ends[turn] - 1)] += trajectory.turns().get(turn).outcome().reward();
      }
    }
    for (int t = 0; t < rewards.length; t++) {
      rewards[t] -= klWeight == 0 ? 0 : klWeight * ((double) old[t] - ref[t]);
    }
    return rewards;
  }

  /** Behind how many agent tokens each turn ends. */
  int[] turnEnds() {
    int[] ends = trajectory.turnTokens().clone();
    Arrays.parallelPrefix(ends, Integer::sum);
    return ends;
  }
}
