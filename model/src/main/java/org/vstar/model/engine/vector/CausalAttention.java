package org.vstar.model.engine.vector;

import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.Kernels.View;
import org.vstar.model.engine.vector.Transformer.Attention;

/**
 * Attention among the tokens of each packed sequence, and its gradient. Probabilities are not kept:
 * the backward pass makes them again from each row's maximum and sum.
 */
final class CausalAttention implements Attention {

  private static final int BLOCK = 16;

  private final ModelConfig c;
  private final ParameterLayout layout;
  private final int dh;
  private final int width;
  private final int group;
  private final float scale;

  private int[] starts;
  private int sequences;
  private float[] keysT = new float[0];
  private float[] valuesT = new float[0];
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
    if (keysT.length < padded * dh) {
      keysT = new float[padded * dh];
      valuesT = new float[padded * dh];
      scores = new float[padded * BLOCK];
      dScores = new float[padded * BLOCK];
    }
  }

  private static int padded(int n) {
    return (n + BLOCK - 1) / BLOCK * BLOCK;
  }

  @Override
  public void attend(int layer, Activations a) {
    int s = a.slot(layer);
    for (int i = 0; i < sequences; i++) {
      int n = starts[i + 1] - starts[i];
      for (int h = 0; h < c.heads(); h++) {
        if (h % group == 0) {
          gather(a.qkv[s], starts[i], n, keyColumn(h), keysT, scale);
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

  /** Copies n rows of one head, times a factor, into columns; columns up to the padding are 0. */
  private void gather(float[] qkv, int start, int n, int column, float[] out, float factor) {
    int ld = padded(n);
    for (int d = 0; d < dh; d++) {
      int row = d * ld;
      for (int j = 0; j < n; j++) {
        out[row + j] = qkv[(start + j) * width + column + d] * factor;
      }
      for (int j = n; j < ld; j++) {
        out[row + j] = 0;
      }
    }
  }

  /**
   * Fills {@code scores} with q·k for a block of queries; columns up to the block's end, padded.
   */
  private int scores(float[] qkv, int start, int n, int head, int q, int rows) {
    int columns = padded(Math.min(n, q + rows));
    Kernels.multiply(
        View.rows(qkv, (start + q) * width + head * dh, width),
        View.rows(keysT, 0, padded(n)),
        View.rows(scores, 0, columns),
        rows,
        columns,
        dh,
        false);
    return columns;
  }

  private void attendBlock(Activations a, int s, int start, int n, int head, int q) {
    int rows = Math.min(BLOCK, n - q);
    int columns = scores(a.qkv[s], start, n, head, q, rows);
    for (int r = 0; r < rows; r++) {
      int at = (start + q + r) * c.heads() + head;
      a.rowMax[s][at] = softmaxRow(scores, r * columns, q + r + 1, columns);
      a.rowInverse[s][at] =
          1f / Kernels.exponentials(scores, r * columns, columns, a.rowMax[s][at]);
    }
    int out = (start + q) * layout.queryWidth() + head * dh;
    Kernels.multiply(
        View.rows(scores, 0, columns),
        View.rows(a.qkv[s], start * width + valueColumn(head), width),
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
          gather(a.qkv[s], starts[i], n, keyColumn(h), keysT, scale);
          gather(a.qkv[s], starts[i], n, valueColumn(h), valuesT, 1f);
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
    Kernels.multiply(
        View.transposed(scores, 0, columns),
        View.rows(dOut, out, layout.queryWidth()),
        View.rows(dQkv, start * width + valueColumn(head), width),
        seen,
        dh,
        rows,
        true);
    scoresGradient(a, s, n, rows, columns, out, dOut);
    // dQ = dS·K, dK += dSᵀ·Q
    Kernels.multiply(
        View.rows(dScores, 0, columns),
        View.rows(a.qkv[s], start * width + keyColumn(head), width),
        View.rows(dQkv, (start + q) * width + head * dh, width),
        rows,
        dh,
        seen,
        false);
    Kernels.multiply(
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
    int columns = scores(a.qkv[s], start, n, head, q, rows);
    for (int r = 0; r < rows; r++) {
      int at = (start + q + r) * c.heads() + head;
      softmaxRow(scores, r * columns, q + r + 1, columns);
      Kernels.exponentials(scores, r * columns, columns, a.rowMax[s][at]);
      Kernels.scale(a.rowInverse[s][at], scores, r * columns, columns);
    }
    return columns;
  }

  /** Fills {@code dScores} from the probabilities in {@code scores}. */
  private void scoresGradient(
      Activations a, int s, int n, int rows, int columns, int out, float[] dOut) {
    // dP = dO·Vᵀ
    Kernels.multiply(
        View.rows(dOut, out, layout.queryWidth()),
        View.rows(valuesT, 0, padded(n)),
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
      for (int j = r * columns; j < (r + 1) * columns; j++) {
        dScores[j] = scores[j] * (dScores[j] - mean) * scale;
      }
    }
  }
}
