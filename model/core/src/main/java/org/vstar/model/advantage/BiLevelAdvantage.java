package org.vstar.model.advantage;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * Generalised advantage estimation over turns, and inside each turn over its tokens (RAGEN, arXiv
 * 2504.20073). Over the ends e of the turns
 *
 * <pre>D_e = r_e + Γ V_{e+1} − V_e + Γλ D_{e+1}</pre>
 *
 * <p>and then with γ and λ over the tokens of each turn, whose last has the reward D_e + V_e and
 * nothing behind it.
 *
 * @param gamma γ between tokens, 0 to 1
 * @param lambda λ of both levels, 0 to 1
 * @param highGamma Γ between turns, 0 to 1
 * @param whiten how the advantages are whitened; they are as they come without it
 * @param turnEnds which tokens end a turn
 */
public record BiLevelAdvantage(
    @Default("1.0") double gamma,
    @Default("1.0") double lambda,
    @Default("0.95") double highGamma,
    @OptionalKey Whitening whiten,
    @Default("turns") TurnEnds turnEnds) {

  /** Which tokens end a turn. */
  public enum TurnEnds {
    /** The last of each answer. */
    @JsonProperty("turns")
    TURNS,
    /** Those whose reward is not 0, as in RAGEN: a turn of reward 0 melts into the next. */
    @JsonProperty("nonzero-reward")
    NONZERO_REWARD;

    /** As configs write it. */
    public String word() {
      return this == TURNS ? "turns" : "nonzero-reward";
    }
  }

  /** Checks the ranges. */
  public BiLevelAdvantage {
    InvalidInputException.requireProbability("gamma", gamma);
    InvalidInputException.requireProbability("lambda", lambda);
    InvalidInputException.requireProbability("highGamma", highGamma);
  }

  /**
   * Estimates.
   *
   * @param rewards of each agent token
   * @param values V of the state in which each agent token was written
   * @param ends behind how many agent tokens each turn of a trajectory ends
   * @param masked trajectories that are left out of whitening's mean and variance
   */
  Estimate of(double[][] rewards, double[][] values, int[][] ends, boolean[] masked) {
    double[][] advantages = new double[rewards.length][];
    for (int i = 0; i < rewards.length; i++) {
      advantages[i] = advantages(rewards[i], values[i], ends(rewards[i], ends[i]));
    }
    return Estimate.of(advantages, values, whiten, masked);
  }

  /** The last tokens of the turns that have any, in order; the last token of all is one. */
  private int[] ends(double[] rewards, int[] turns) {
    List<Integer> ends = new ArrayList<>();
    if (turnEnds == TurnEnds.TURNS) {
      for (int end : turns) {
        add(ends, end - 1);
      }
    } else {
      for (int t = 0; t < rewards.length; t++) {
        if (rewards[t] != 0) {
          add(ends, t);
        }
      }
    }
    add(ends, rewards.length - 1);
    return ends.stream().mapToInt(Integer::intValue).toArray();
  }

  private static void add(List<Integer> ends, int token) {
    if (token >= 0 && (ends.isEmpty() || ends.get(ends.size() - 1) < token)) {
      ends.add(token);
    }
  }

  private double[] advantages(double[] rewards, double[] values, int[] ends) {
    double[] advantages = new double[rewards.length];
    double ofNextTurn = 0;
    double valueOfNextTurn = 0;
    for (int e = ends.length - 1; e >= 0; e--) {
      int end = ends[e];
      double delta = rewards[end] + highGamma * valueOfNextTurn - values[end];
      ofNextTurn = delta + highGamma * lambda * ofNextTurn;
      valueOfNextTurn = values[end];
      inside(
          e == 0 ? 0 : ends[e - 1] + 1, end, ofNextTurn + values[end], rewards, values, advantages);
    }
    return advantages;
  }

  /** The advantages of a turn's tokens, {@code from} to {@code end}. */
  private void inside(
      int from, int end, double reward, double[] rewards, double[] values, double[] advantages) {
    double nextAdvantage = 0;
    double nextValue = 0;
    for (int t = end; t >= from; t--) {
      double delta = (t == end ? reward : rewards[t]) + gamma * nextValue - values[t];
      nextAdvantage = delta + gamma * lambda * nextAdvantage;
      nextValue = values[t];
      advantages[t] = nextAdvantage;
    }
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("bi-level-advantage", 1)
        .with("gamma", gamma)
        .with("lambda", lambda)
        .with("highGamma", highGamma)
        .with("whiten", whiten == null ? null : whiten.canonical())
        .with("turnEnds", turnEnds.word());
  }
}
