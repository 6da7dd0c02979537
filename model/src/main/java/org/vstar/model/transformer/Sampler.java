package org.vstar.model.transformer;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Draws tokens from logits.
 *
 * @param temperature what logits are divided by; 0 takes the most likely token
 * @param topP the smallest set of most likely tokens with at least this probability is drawn from
 */
public record Sampler(double temperature, double topP) {

  /**
   * A drawn token.
   *
   * @param logProbability ln of its probability under the policy: tempered and restricted to what
   *     was allowed, but before {@code topP}; for temperature 0 that of temperature 1
   */
  public record Draw(int token, float logProbability) {}

  /**
   * Draws from one row of logits, which this overwrites.
   *
   * @param allowed what may be drawn, or null for everything
   */
  public Draw draw(
      float[] logits, int row, int vocabulary, BitSet allowed, SplittableRandom random) {
    int off = row * vocabulary;
    float inverse = temperature == 0 ? 1f : (float) (1 / temperature);
    Scorer.restrict(logits, off, vocabulary, allowed, inverse);
    if (temperature == 0) {
      int best = 0;
      for (int i = 1; i < vocabulary; i++) {
        best = logits[off + i] > logits[off + best] ? i : best;
      }
      return new Draw(best, Scorer.logProbability(logits, off, vocabulary, best));
    }
    float max = Kernels.max(logits, off, vocabulary);
    float[] p = new float[vocabulary];
    System.arraycopy(logits, off, p, 0, vocabulary);
    Kernels.exponentials(p, 0, vocabulary, max);
    if (topP < 1) {
      keepTop(p);
    }
    int token = pick(p, random.nextDouble());
    return new Draw(token, Scorer.logProbability(logits, off, vocabulary, token));
  }

  private void keepTop(float[] p) {
    int[] order =
        IntStream.range(0, p.length)
            .boxed()
            .sorted((i, j) -> Float.compare(p[j], p[i]))
            .mapToInt(Integer::intValue)
            .toArray();
    double total = 0;
    for (float x : p) {
      total += x;
    }
    double kept = 0;
    for (int i : order) {
      if (kept >= topP * total) {
        p[i] = 0;
      }
      kept += p[i];
    }
  }

  private static int pick(float[] p, double u) {
    double total = 0;
    for (float x : p) {
      total += x;
    }
    double left = u * total;
    int last = 0;
    for (int i = 0; i < p.length; i++) {
      if (p[i] > 0) {
        last = i;
        left -= p[i];
        if (left < 0) {
          return i;
        }
      }
    }
    return last;
  }
}
