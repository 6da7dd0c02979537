package org.vstar.spark.warmstart;

import java.util.List;
import java.util.Locale;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.spark.run.RunConfig;

/**
 * How well a policy knows demonstrations that it has not learned from: they are drawn with a seed
 * of their own. Tells one learning rate or one length of training from another long before
 * purchases do.
 *
 * @param demonstrations how many were scored
 * @param loss mean −ln π of a demonstration, all that its agent says together
 * @param tokens mean tokens that its agent says
 * @param sure share of demonstrations in which every token of the agent's has more than half of the
 *     probability: a greedy policy says just that
 */
record HeldOut(int demonstrations, double loss, double tokens, double sure) {

  private static final double HALF = Math.log(0.5);

  /** Demonstrations that are in memory together. */
  private static final int CHUNK = 50;

  /**
   * Scores demonstrations.
   *
   * @param demonstrations how many; those that do not fit the policy's context are left out
   */
  static HeldOut of(Policy policy, Lesson lesson, RunConfig config, int demonstrations) {
    double loss = 0;
    long tokens = 0;
    int sure = 0;
    int scored = 0;
    try (Scorer scorer = policy.engine().scorer(1)) {
      for (int done = 0; done < demonstrations; done += CHUNK) {
        int size = Math.min(CHUNK, demonstrations - done);
        long seed = WarmStartJob.seed(config, "held out " + done);
        for (List<Sequence> demonstration : lesson.demonstrations(seed, size)) {
          if (demonstration.isEmpty()) {
            continue;
          }
          boolean likely = true;
          for (float[] logPi : scorer.logProbabilities(demonstration)) {
            for (float p : logPi) {
              loss -= p;
              likely &= p > HALF;
            }
            tokens += logPi.length;
          }
          sure += likely ? 1 : 0;
          scored++;
        }
      }
    }
    return new HeldOut(scored, loss / scored, (double) tokens / scored, (double) sure / scored);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d demonstrations that were not trained on: loss %.3f each, of %.0f tokens; in %.1f %% every"
            + " token has more than half of the probability",
        demonstrations,
        loss,
        tokens,
        100 * sure);
  }
}
