package org.vstar.model.engine.vector;

import java.util.Arrays;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.Transformer.Attention;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.Panels;
import org.vstar.model.weights.ParameterLayout;

/**
 * Attention among the tokens of each packed sequence, and its gradient. Probabilities are not kept:
 * the backward pass makes them again from each row's maximum and sum.
 */
final class CausalAttention implements Attention {

  /** Queries that are looked at together. */
  private static final int BLOCK = 32;

  private final ModelConfig c;
  private final ParameterLayout layout;
  private final int dh;
  private final int width;
  private final int group;
  private final float scale;
  private final float[] queries;
  private final float[] dQueries;

  private int[] starts;
  private int sequences;
  private float[] keysT = new float[0];
  private float[] keys = new float[0];
  private float[] values = new float[0];
  private float[] scores = new float[0];
  private float[] dScores = new float[0];

  CausalAttention(Transformer transformer) {
    this.c = transformer.config();
    this.layout = transformer.layout();
    this.dh = layout.headWidth();
    this.width = layout.qkvWidth();
    this.group = c.heads() / c.kvHeads();
    this.scale = (float) (1 / Math.sqrt(c.headWidth()));
    this.queries = new float[BLOCK * dh];
    this.dQueries = new float[BLOCK * dh];
  }

  /** Sequence i of the coming passes is tokens {@code starts[i]} to {@code starts[i+1]}. */
  void sequences(int[] newStarts, int count) {
    starts = newStarts;
    sequences = count;
    int longest = 0;
    for (int i = 0; i < count; i++) {
      longest = Math.max(longest, newStarts[i + 1] - newStarts[i]);
    }
    int padded = padded(longest);
    if (scores.length < padded * BLOCK) {
      keysT = new float[Panels.size(dh, padded)];
      keys = new float[Panels.size(padded, dh)];
      values = new float[Math.max(keysT.length, keys.length)];
      scores = new float[padded * BLOCK];
      dScores = new float[padded * BLOCK];
    }
  }

  private static int padded(int n) {
    return (n + Kernels.LANES - 1) / Kernels.LANES * Kernels.LANES;
  }

  @Override
  public void attend(int layer, Rows rows, Activations a) {
    int s = a.slot(layer);
    for (int i = 0; i < sequences; i++) {
      int start = starts[i];
      int n = starts[i + 1] - start;
      int first = rows.firstFrom(start);
      int end = rows.firstFrom(starts[i + 1]);
      for (int h = 0; first < end && h < c.heads(); h++) {
        if (h % group == 0) {
          packKeys(a.qkv[s], start, n, h);
          Panels.pack(View.rows(a.qkv[s], start * width + valueColumn(h), width), n, dh, values, 0);
        }
        for (int r = first; r < end; r += BLOCK) {
          attendBlock(a, s, Queries.of(rows, start, n, h, r, BLOCK));
        }
      }
    }
  }

  private int keyColumn(int head) {
    return layout.queryWidth() + head / group * dh;
  }

  private int valueColumn(int head) {
    return keyColumn(head) + layout.kvWidth();
  }

  /** Lays the keys of a head out as columns, times the scale of the scores. */
  private void packKeys(float[] qkv, int start, int n, int head) {
    Panels.pack(View.transposed(qkv, start * width + keyColumn(head), width), dh, n, keysT, 0);
    Kernels.scale(scale, keysT, 0, Panels.size(dh, n));
  }

  /**
   * Fills {@code scores} with q·k for a block of queries, up to what the last of them sees, padded.
   * What stands in the padding is to be hidden.
   *
   * @return columns of the scores
   */
  private int scores(Activations a, int s, Queries q) {
    q.gather(a.qkv[s], width, dh, queries);
    int columns = padded(q.seen());
    a.product.multiply(
        View.rows(queries, 0, dh),
        new Panels(keysT, 0, dh),
        View.rows(scores, 0, columns),
        q.count(),
        columns,
        dh,
        false);
    return columns;
  }

  private void attendBlock(Activations a, int s, Queries q) {
    int columns = scores(a, s, q);
    for (int i = 0; i < q.count(); i++) {
      int at = (q.first() + i) * c.heads() + q.head();
      a.rowMax[s][at] = softmaxRow(scores, i * columns, q.seen(i), columns);
      a.rowInverse[s][at] =
          1f / Kernels.exponentials(scores, i * columns, columns, a.rowMax[s][at]);
    }
    int out = q.first() * layout.queryWidth() + q.head() * dh;
    a.product.multiply(
        View.rows(scores, 0, columns),
        new Panels(values, 0, q.n()),
        View.rows(a.attended[s], out, layout.queryWidth()),
        q.count(),
        dh,
        q.seen(),
        false);
    for (int i = 0; i < q.count(); i++) {
      float inverse = a.rowInverse[s][(q.first() + i) * c.heads() + q.head()];
      Kernels.scale(inverse, a.attended[s], out + i * layout.queryWidth(), dh);
    }
  }

  /** Hides what lies behind the first {@code visible} columns, and gives the row's maximum. */
  static float softmaxRow(float[] scores, int off, int visible, int columns) {
    for (int j = visible; j < columns; j++) {
      scores[off + j] = Float.NEGATIVE_INFINITY;
    }
    return Kernels.max(scores, off, columns);
  }

  /**
   * Gradient of {@link #attend}.
   *
   * @param rows the tokens that looked
   * @param dAttended gradient by the output, rows × queryWidth
   * @param dQkv receives the gradient by queries, keys and values, tokens × qkvWidth
   */
  void addGradient(int layer, Rows rows, Activations a, float[] dAttended, float[] dQkv) {
    int s = a.slot(layer);
    Arrays.fill(dQkv, 0, starts[sequences] * width, 0f);
    for (int i = 0; i < sequences; i++) {
      int start = starts[i];
      int n = starts[i + 1] - start;
      int first = rows.firstFrom(start);
      int end = rows.firstFrom(starts[i + 1]);
      for (int h = 0; first < end && h < c.heads(); h++) {
        if (h % group == 0) {
          packKeys(a.qkv[s], start, n, h);
          int key = start * width + keyColumn(h);
          int value = start * width + valueColumn(h);
          Panels.pack(View.rows(a.qkv[s], key, width), n, dh, keys, 0);
          Panels.pack(View.transposed(a.qkv[s], value, width), dh, n, values, 0);
        }
        for (int r = first; r < end; r += BLOCK) {
          blockGradient(a, s, Queries.of(rows, start, n, h, r, BLOCK), dAttended, dQkv);
        }
      }
    }
  }

  private void blockGradient(Activations a, int s, Queries q, float[] dOut, float[] dQkv) {
    int columns = probabilities(a, s, q);
    int out = q.first() * layout.queryWidth() + q.head() * dh;
    // dV += Pᵀ·dO
    a.product.multiply(
        View.transposed(scores, 0, columns),
        View.rows(dOut, out, layout.queryWidth()),
        View.rows(dQkv, q.start() * width + valueColumn(q.head()), width),
        q.seen(),
        dh,
        q.count(),
        true);
    scoresGradient(a, s, q.count(), columns, out, dOut);
    // dQ = dS·K, dK += dSᵀ·Q
    a.product.multiply(
        View.rows(dScores, 0, columns),
        new Panels(keys, 0, q.n()),
        View.rows(dQueries, 0, dh),
        q.count(),
        dh,
        q.seen(),
        false);
    for (int i = 0; i < q.count(); i++) {
      System.arraycopy(dQueries, i * dh, dQkv, q.at(i) * width + q.head() * dh, dh);
    }
    a.product.multiply(
        View.transposed(dScores, 0, columns),
        View.rows(queries, 0, dh),
        View.rows(dQkv, q.start() * width + keyColumn(q.head()), width),
        q.seen(),
        dh,
        q.count(),
        true);
  }

  /** Fills {@code scores} with the probabilities of a block of queries once more. */
  private int probabilities(Activations a, int s, Queries q) {
    int columns = scores(a, s, q);
    for (int i = 0; i < q.count(); i++) {
      int at = (q.first() + i) * c.heads() + q.head();
      softmaxRow(scores, i * columns, q.seen(i), columns);
      Kernels.exponentials(scores, i * columns, columns, a.rowMax[s][at]);
      Kernels.scale(a.rowInverse[s][at], scores, i * columns, columns);
    }
    return columns;
  }

  /** Fills {@code dScores} from the probabilities in {@code scores}. */
  private void scoresGradient(Activations a, int s, int count, int columns, int out, float[] dOut) {
    // dP = dO·Vᵀ
    a.product.multiply(
        View.rows(dOut, out, layout.queryWidth()),
        new Panels(values, 0, dh),
        View.rows(dScores, 0, columns),
        count,
        columns,
        dh,
        false);
    // dS = P·(dP − dO·O), times the scale of the scores
    for (int r = 0; r < count; r++) {
      float mean =
          Kernels.dot(
              dOut,
              out + r * layout.queryWidth(),
              a.attended[s],
              out + r * layout.queryWidth(),
              dh);
      Kernels.softmaxGradient(scores, dScores, r * columns, columns, mean, scale);
    }
  }
}
