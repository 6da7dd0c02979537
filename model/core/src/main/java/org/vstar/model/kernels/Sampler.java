package org.vstar.model.kernels;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;

/** Draws tokens from logits on the host. */
public final class Sampler {

  private Sampler() {}

  /** Draws from the logits of all tokens. */
  public static Draw draw(float[] logits, Choice choice) {
    float[] padded = padded(logits);
    return draw(padded, 0, padded.length, choice);
  }

  /** The likeliest tokens of the logits of all tokens. */
  public static List<Draw> likeliest(float[] logits, BitSet allowed, int count) {
    return likeliest(padded(logits), 0, Kernels.padded(logits.length), allowed, count);
  }

  private static float[] padded(float[] logits) {
    float[] padded = Arrays.copyOf(logits, Kernels.padded(logits.length));
    Arrays.fill(padded, logits.length, padded.length, Float.NEGATIVE_INFINITY);
    return padded;
  }

  /** Draws from one row of logits, which this overwrites. */
  public static Draw draw(float[] logits, int row, int vocabulary, Choice choice) {
    int off = row * vocabulary;
    BitSet allowed = choice.allowed();
    boolean greedy = choice.temperature() == 0;
    float inverse = greedy ? 1f : (float) (1 / choice.temperature());
    restrict(logits, off, vocabulary, allowed, inverse);
    int token =
        greedy ? likeliest(logits, off, vocabulary) : drawn(logits, off, vocabulary, choice);
    return new Draw(token, logProbability(logits, off, vocabulary, token));
  }

  /**
   * The likeliest tokens of one row of logits, which this overwrites: the likeliest first, of
   * equals the one with the lower number.
   *
   * @param allowed what may be chosen, or null for everything
   * @param count how many at most
   */
  public static List<Draw> likeliest(
      float[] logits, int row, int vocabulary, BitSet allowed, int count) {
    int off = row * vocabulary;
    restrict(logits, off, vocabulary, allowed, 1);
    int[] best = new int[Math.min(count, vocabulary)];
    int found = 0;
    for (int token = 0; token < vocabulary; token++) {
      float own = logits[off + token];
      if (own == Float.NEGATIVE_INFINITY
          || found == best.length && own <= logits[off + best[found - 1]]) {
        continue;
      }
      int place = found < best.length ? found++ : found - 1;
      for (; place > 0 && own > logits[off + best[place - 1]]; place--) {
        best[place] = best[place - 1];
      }
      best[place] = token;
    }
    return Arrays.stream(best, 0, found)
        .mapToObj(token -> new Draw(token, logProbability(logits, off, vocabulary, token)))
        .toList();
  }

  private static int likeliest(float[] logits, int off, int vocabulary) {
    int best = 0;
    for (int i = 1; i < vocabulary; i++) {
      best = logits[off + i] > logits[off + best] ? i : best;
    }
    return best;
  }

  private static int drawn(float[] logits, int off, int vocabulary, Choice choice) {
    float max = Kernels.max(logits, off, vocabulary);
    float[] p = new float[vocabulary];
    System.arraycopy(logits, off, p, 0, vocabulary);
    Kernels.exponentials(p, 0, vocabulary, max);
    if (choice.topP() < 1) {
      keepTop(p, choice.topP());
    }
    return pick(p, choice.u());
  }

  private static void keepTop(float[] p, double topP) {
    int[] order =
        IntStream.range(0, p.length)
            .boxed()
            .sorted((i, j) -> Float.compare(p[j], p[i]))
            .mapToInt(Integer::intValue)
            .toArray();
    double total = sum(p);
    double kept = 0;
    for (int i : order) {
      if (kept >= topP * total) {
        p[i] = 0;
      }
      kept += p[i];
    }
  }

  private static double sum(float[] p) {
    double total = 0;
    for (float x : p) {
      total += x;
    }
    return total;
  }

  private static int pick(float[] p, double u) {
    double left = u * sum(p);
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

  /** Divides a row of logits by the temperature and rules out what may not be chosen. */
  public static void restrict(
      float[] logits, int off, int v, BitSet allowed, float inverseTemperature) {
    if (inverseTemperature != 1f) {
      Kernels.scale(inverseTemperature, logits, off, v);
    }
    if (allowed != null) {
      for (int i = allowed.nextClearBit(0); i < v; i = allowed.nextClearBit(i + 1)) {
        logits[off + i] = Float.NEGATIVE_INFINITY;
      }
    }
  }

  /** Log-softmax of one row at one token. The sampler and the scorer share these operations. */
  public static float logProbability(float[] logits, int off, int v, int token) {
    float max = Kernels.max(logits, off, v);
    double sum = Kernels.sumExponentials(logits, off, v, max);
    return (float) (logits[off + token] - max - StrictMath.log(sum));
  }
}
