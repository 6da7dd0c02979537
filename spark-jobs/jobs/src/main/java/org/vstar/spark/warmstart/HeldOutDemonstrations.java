package org.vstar.spark.warmstart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.spark.run.RunConfig;

/**
 * How well a policy knows other demonstrations on train tasks than it learned from: they are drawn
 * with seeds of their own, and none is recorded. Tells one learning rate or one length of training
 * from another long before rewards do, but nothing of held-out tasks.
 *
 * @param demonstrations how many were scored
 * @param loss mean −ln π of all tokens of a demonstration that are imitated
 * @param tokens how many these are, mean
 * @param confident share of demonstrations in which each of these tokens has more than half of the
 *     probability
 */
record HeldOutDemonstrations(int demonstrations, double loss, double tokens, double confident) {

  private static final double HALF = Math.log(0.5);

  /** Demonstrations that are scored together. */
  private static final int CHUNK = 50;

  /**
   * Scores demonstrations.
   *
   * @param demonstrations how many; those with nothing to imitate that fits the context are left
   *     out
   */
  static HeldOutDemonstrations of(
      Policy policy, DemonstrationBatches batches, RunConfig config, int demonstrations) {
    DemonstrationBatches fresh = batches.heldOut();
    List<float[]> scored = new ArrayList<>();
    try (Scorer scorer = policy.engine().scorer(1)) {
      for (int done = 0; done < demonstrations; done += CHUNK) {
        long seed = DemonstrationBatches.seed(config, "fresh demonstrations " + done);
        List<List<Sequence>> chunk =
            fresh.demonstrations(seed, Math.min(CHUNK, demonstrations - done));
        float[][] logPi = scorer.logProbabilities(chunk.stream().flatMap(List::stream).toList());
        int next = 0;
        for (List<Sequence> demonstration : chunk) {
          if (!demonstration.isEmpty()) {
            scored.add(joined(logPi, next, next + demonstration.size()));
          }
          next += demonstration.size();
        }
      }
    }
    return of(scored);
  }

  private static float[] joined(float[][] parts, int from, int to) {
    int length = 0;
    for (int i = from; i < to; i++) {
      length += parts[i].length;
    }
    float[] all = new float[length];
    int at = 0;
    for (int i = from; i < to; i++) {
      System.arraycopy(parts[i], 0, all, at, parts[i].length);
      at += parts[i].length;
    }
    return all;
  }

  /** What ln π of the imitated tokens of each demonstration comes to. */
  static HeldOutDemonstrations of(List<float[]> logPi) {
    double loss = 0;
    long tokens = 0;
    int confident = 0;
    for (float[] demonstration : logPi) {
      boolean likely = true;
      for (float p : demonstration) {
        loss -= p;
        likely &= p > HALF;
      }
      tokens += demonstration.length;
      confident += likely ? 1 : 0;
    }
    double n = Math.max(1, logPi.size());
    return new HeldOutDemonstrations(logPi.size(), loss / n, tokens / n, confident / n);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d fresh demonstrations: loss %.3f each, of %.0f tokens; in %.1f %% each token has more than"
            + " half of the probability",
        demonstrations,
        loss,
        tokens,
        100 * confident);
  }
}
