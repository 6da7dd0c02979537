package org.vstar.spark.run;

import java.util.Optional;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.spark.table.VStarTable;

/**
 * What the V* job measures.
 *
 * @param samples N, rollouts of the reference policy per task; with {@code adaptive} the most that
 *     one task gets
 * @param beta1 β₁ of the estimate; 0 is the mean return
 * @param maxFailures failed episodes that the job tolerates; it stops at the next one. Tasks with a
 *     failed episode have no V*
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 * @param keepTokens whether the turns and tokens of the samples are kept, in the table {@code
 *     trajectories}, so that {@code submit/train --offline} can train on them
 * @param adaptive puts samples where V* is uncertain; without it each task gets as many
 */
public record VStarConfig(
    @Default("8") int samples,
    @Default("0.5") double beta1,
    @Default("10") int maxFailures,
    @Default("8") int tasksPerUnit,
    @Default("64") int slots,
    @Default("false") boolean keepTokens,
    @OptionalKey AdaptiveConfig adaptive) {

  private static final int MOST_SAMPLES = 1 << 16;

  /** Checks the ranges. */
  public VStarConfig {
    InvalidInputException.require(
        samples > 0 && samples <= MOST_SAMPLES, "vstar.samples", samples, "1 to " + MOST_SAMPLES);
    InvalidInputException.require(maxFailures >= 0, "vstar.maxFailures", maxFailures, "0 or more");
    InvalidInputException.require(beta1 >= 0, "vstar.beta1", beta1, "0 (the mean return) or more");
    InvalidInputException.require(
        tasksPerUnit > 0, "vstar.tasksPerUnit", tasksPerUnit, "at least 1");
    InvalidInputException.require(slots > 0, "vstar.slots", slots, "at least 1");
    InvalidInputException.require(
        adaptive == null || adaptive.firstSamples() <= samples,
        "vstar.adaptive.firstSamples",
        adaptive == null ? 0 : adaptive.firstSamples(),
        "vstar.samples, which is " + samples + ", or fewer");
  }

  /** What estimates depend on, beside what the samples were drawn under. */
  public VStarTable.Settings settings(long seed) {
    return new VStarTable.Settings(
        samples,
        beta1,
        seed,
        adaptive == null ? Optional.empty() : Optional.of(adaptive.canonical()));
  }

  /**
   * Sampling in rounds. After each, a prediction from the tasks' words and their samples says where
   * more samples lower the expected error of V* most.
   *
   * @param firstSamples what every task gets in the first round
   * @param totalBudget samples of all train tasks together
   * @param rounds how many rounds there are after the first, each with an equal share of what is
   *     left
   */
  public record AdaptiveConfig(int firstSamples, long totalBudget, int rounds) {

    private static final int MOST_ROUNDS = 100;

    /** Checks the ranges. */
    public AdaptiveConfig {
      InvalidInputException.require(
          firstSamples > 0, "vstar.adaptive.firstSamples", firstSamples, "at least 1");
      InvalidInputException.require(
          totalBudget > 0, "vstar.adaptive.totalBudget", totalBudget, "at least 1");
      InvalidInputException.require(
          rounds > 0 && rounds <= MOST_ROUNDS,
          "vstar.adaptive.rounds",
          rounds,
          "1 to " + MOST_ROUNDS);
    }

    CanonicalJson canonical() {
      return CanonicalJson.of("adaptive", 1)
          .with("firstSamples", firstSamples)
          .with("totalBudget", totalBudget)
          .with("rounds", rounds);
    }
  }
}
