package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/**
 * How losses of tokens become one of a trajectory, and those of trajectories one of a step.
 *
 * @param mode which means are taken
 * @param denominator what they are taken over
 * @param maxLength L of the modes that divide by a constant, in tokens
 */
public record Aggregation(Mode mode, Denominator denominator, int maxLength) {

  /** Which means are taken. S trajectories have N tokens together, trajectory i has n_i. */
  public enum Mode {
    /** Sum over all tokens / N: a long trajectory weighs more (DAPO). */
    @JsonProperty("token-mean")
    TOKEN_MEAN,
    /** Mean over S of the means over n_i (GRPO). */
    @JsonProperty("seq-mean-token-mean")
    SEQ_MEAN_TOKEN_MEAN,
    /** Mean over S of the sums. */
    @JsonProperty("seq-mean-token-sum")
    SEQ_MEAN_TOKEN_SUM,
    /** Mean over S of the sums / L (Dr. GRPO). */
    @JsonProperty("seq-mean-token-sum-norm")
    SEQ_MEAN_TOKEN_SUM_NORM,
    /** Sum over S of the sums / L. */
    @JsonProperty("seq-sum-token-sum-norm")
    SEQ_SUM_TOKEN_SUM_NORM;

    /** As configs write it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** What S and N count. */
  public enum Denominator {
    /** Masked and empty trajectories too. */
    @JsonProperty("all")
    ALL,
    /** Only what has a token and is not masked. */
    @JsonProperty("kept")
    KEPT;

    /** As configs write it. */
    public String word() {
      return this == ALL ? "all" : "kept";
    }
  }

  /** The mean over trajectories, each of which has one loss. */
  public static Aggregation ofTrajectories(Denominator denominator) {
    return new Aggregation(Mode.SEQ_MEAN_TOKEN_SUM, denominator, 1);
  }

  /** What the sum of a trajectory's token losses is multiplied with. */
  double scale(int tokens) {
    return switch (mode) {
      case TOKEN_MEAN, SEQ_MEAN_TOKEN_SUM -> 1;
      case SEQ_MEAN_TOKEN_MEAN -> tokens == 0 ? 0 : 1.0 / tokens;
      case SEQ_MEAN_TOKEN_SUM_NORM, SEQ_SUM_TOKEN_SUM_NORM -> 1.0 / maxLength;
    };
  }

  /**
   * What the sum of the trajectories' losses is divided by; 1 where nothing is left.
   *
   * @param tokens how many the agent wrote in each trajectory
   * @param masked which trajectories have no loss
   */
  public double divisor(int[] tokens, boolean[] masked) {
    if (mode == Mode.SEQ_SUM_TOKEN_SUM_NORM) {
      return 1;
    }
    long trajectories = 0;
    long written = 0;
    for (int i = 0; i < tokens.length; i++) {
      if (denominator == Denominator.ALL || !masked[i] && tokens[i] > 0) {
        trajectories++;
        written += tokens[i];
      }
    }
    return Math.max(1, mode == Mode.TOKEN_MEAN ? written : trajectories);
  }
}
