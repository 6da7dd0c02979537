package org.vstar.model.engine.vector;

import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.Kernels.View;
import org.vstar.model.engine.vector.Transformer.Attention;

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
  public void attend(int layer, Activations a) {
    int s = a.slot(layer);
    for (int i = 0; i < sequences; i++) {
      int n = starts[i + 1] - starts[i];
      for (int h = 0; h < c.heads(); h++) {
        if (h % group == 0) {
          packKeys(a.qkv[s], starts[i], n, h);
          int column = starts[i] * width + valueColumn(h);
          Panels.pack(View.rows(a.qkv[s], column, width), n, dh, values, 0);
        }
        for (int q = 0; q < n; q += BLOCK) {
          attendBlock(a, s, starts[i], n, h, q);
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
   * Fills {@code scores} with q·k for a block of queries; columns up to the block's end, padded.
   * What stands in the padding is to be hidden.
   */
  private int scores(Activations a, int s, int start, int n, int head, int q, int rows) {
    int columns = padded(Math.min(n, q + rows));
    a.product.multiply(
        View.rows(a.qkv[s], (start + q) * width + head * dh, width),
        new Panels(keysT, 0, dh),
        View.rows(scores, 0, columns),
        rows,
        columns,
        dh,
        false);
    return columns;
  }

  private void attendBlock(Activations a, int s, int start, int n, int head, int q) {
    int rows = Math.min(BLOCK, n - q);
    int columns = scores(a, s, start, n, head, q, rows);
    for (int r = 0; r < rows; r++) {
      int at = (start + q + r) * c.heads() + head;
      a.rowMax[s][at] = softmaxRow(scores, r * columns, q + r + 1, columns);
      a.rowInverse[s][at] =
          1f / Kernels.exponentials(scores, r * columns, columns, a.rowMax[s][at]);
    }
    int out = (start + q) * layout.queryWidth() + head * dh;
    a.product.multiply(
        View.rows(scores, 0, columns),
        new Panels(values, 0, n),
        View.rows(a.attended[s], out, layout.queryWidth()),
        rows,
        dh,
        q + rows,
        false);
    for (int r = 0; r < rows; r++) {
      float inverse = a.rowInverse[s][(start + q + r) * c.heads() + head];
      Kernels.scale(inverse, a.attended[s], out + r * layout.queryWidth(), dh);
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
   * @param dAttended gradient by the output, tokens × queryWidth
   * @param dQkv receives the gradient by queries, keys and values, tokens × qkvWidth
   */
  void addGradient(int layer, Activations a, float[] dAttended, float[] dQkv) {
    int s = a.slot(layer);
    java.util.Arrays.fill(dQkv, 0, starts[sequences] * width, 0f);
    for (int i = 0; i < sequences; i++) {
      int n = starts[i + 1] - starts[i];
      for (int h = 0; h < c.heads(); h++) {
        if (h % group == 0) {
          packKeys(a.qkv[s], starts[i], n, h);
          int key = starts[i] * width + keyColumn(h);
          int value = starts[i] * width + valueColumn(h);
          Panels.pack(View.rows(a.qkv[s], key, width), n, dh, keys, 0);
          Panels.pack(View.transposed(a.qkv[s], value, width), dh, n, values, 0);
        }
        for (int q = 0; q < n; q += BLOCK) {
          blockGradient(a, s, starts[i], n, h, q, dAttended, dQkv);
        }
      }
    }
  }

  private void blockGradient(
      Activations a, int s, int start, int n, int head, int q, float[] dOut, float[] dQkv) {
    int rows = Math.min(BLOCK, n - q);
    int seen = q + rows;
    int columns = probabilities(a, s, start, n, head, q, rows);
    int out = (start + q) * layout.queryWidth() + head * dh;
    // dV += Pᵀ·dO
    a.product.multiply(
        View.transposed(scores, 0, columns),
        View.rows(dOut, out, layout.queryWidth()),
        View.rows(dQkv, start * width + valueColumn(head), width),
        seen,
        dh,
        rows,
        true);
    scoresGradient(a, s, rows, columns, out, dOut);
    // dQ = dS·K, dK += dSᵀ·Q
    a.product.multiply(
        View.rows(dScores, 0, columns),
        new Panels(keys, 0, n),
        View.rows(dQkv, (start + q) * width + head * dh, width),
        rows,
        dh,
        seen,
        false);
    a.product.multiply(
        View.transposed(dScores, 0, columns),
        View.rows(a.qkv[s], (start + q) * width + head * dh, width),
        View.rows(dQkv, start * width + keyColumn(head), width),
        seen,
        dh,
        rows,
        true);
  }

  /** Fills {@code scores} with the probabilities of a block of queries once more. */
  private int probabilities(Activations a, int s, int start, int n, int head, int q, int rows) {
    int columns = scores(a, s, start, n, head, q, rows);
    for (int r = 0; r < rows; r++) {
      int at = (start + q + r) * c.heads() + head;
      softmaxRow(scores, r * columns, q + r + 1, columns);
      Kernels.exponentials(scores, r * columns, columns, a.rowMax[s][at]);
      Kernels.scale(a.rowInverse[s][at], scores, r * columns, columns);
    }
    return columns;
  }

  /** Fills {@code dScores} from the probabilities in {@code scores}. */
  private void scoresGradient(Activations a, int s, int rows, int columns, int out, float[] dOut) {
    // dP = dO·Vᵀ
    a.product.multiply(
        View.rows(dOut, out, layout.queryWidth()),
        new Panels(values, 0, dh),
        View.rows(dScores, 0, columns),
        rows,
        columns,
        dh,
        false);
    // dS = P·(dP − dO·O), times the scale of the scores
    for (int r = 0; r < rows; r++) {
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
