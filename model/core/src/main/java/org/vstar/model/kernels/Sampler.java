package org.vstar.model.kernels;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;

/** Draws tokens from logits on the host. */
public final class Sampler {

  private Sampler() {}

  /** Draws from the logits of all tokens. */
  public static Draw draw(float[] logits, Choice choice) {
    float[] padded = Arrays.copyOf(logits, Kernels.padded(logits.length));
    Arrays.fill(padded, logits.length, padded.length, Float.NEGATIVE_INFINITY);
    return draw(padded, 0, padded.length, choice);
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
