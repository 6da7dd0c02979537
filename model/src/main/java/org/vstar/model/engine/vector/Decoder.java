package org.vstar.model.engine.vector;

import java.util.Arrays;
import java.util.List;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.Kernels.View;
import org.vstar.model.engine.vector.Transformer.Attention;

/**
 * Next-token logits for many growing sequences at once. Each sequence has a slot with its keys and
 * values; a step appends any number of tokens to any of the slots, so that reading an observation
 * and writing an answer share a batch. One per thread.
 *
 * <p>Keys are cached in blocks of 16 positions, transposed, so that a query meets 16 keys at a
 * time.
 */
public final class Decoder implements Attention {

  private static final int BLOCK = 16;

  /** The cache of one sequence. */
  private static final class Slot {
    final float[][] keys;
    final float[][] values;
    int length;

    Slot(int layers) {
      keys = new float[layers][0];
      values = new float[layers][0];
    }
  }

  private final Transformer transformer;
  private final ModelConfig c;
  private final ParameterLayout layout;
  private final int dh;
  private final int group;
  private final float scale;
  private final Slot[] slots;
  private final Activations a;

  private List<Extension> step;
  private float[] scores = new float[0];
  private float[] normed = new float[0];
  private float[] logits = new float[0];

  public Decoder(Transformer transformer, int slots) {
    this.transformer = transformer;
    this.c = transformer.config();
    this.layout = transformer.layout();
    this.dh = layout.headWidth();
    this.group = c.heads() / c.kvHeads();
    this.scale = (float) (1 / Math.sqrt(c.headWidth()));
    this.a = new Activations(transformer, false);
    this.slots = new Slot[slots];
    Arrays.setAll(this.slots, i -> new Slot(c.layers()));
  }

  /** Empties a slot for another sequence. */
  public void reset(int slot) {
    slots[slot].length = 0;
  }

  /** Tokens in a slot. */
  public int length(int slot) {
    return slots[slot].length;
  }

  /**
   * Appends tokens and predicts what follows the last of each extension.
   *
   * @return logits, one row of {@code vocabulary} for each extension; overwritten by the next step
   */
  public float[] extend(List<Extension> extensions) {
    int n = 0;
    for (Extension e : extensions) {
      n += e.tokens().length;
    }
    int[] tokens = new int[n];
    int[] positions = new int[n];
    int[] last = new int[extensions.size()];
    int t = 0;
    for (int i = 0; i < extensions.size(); i++) {
      Extension e = extensions.get(i);
      int at = slots[e.slot()].length;
      if (at + e.tokens().length > c.context()) {
        throw new IllegalArgumentException("slot " + e.slot() + " would pass the context");
      }
      for (int token : e.tokens()) {
        tokens[t] = token;
        positions[t++] = at++;
      }
      last[i] = t - 1;
    }
    step = extensions;
    transformer.forward(tokens, positions, n, a, this);
    for (Extension e : extensions) {
      slots[e.slot()].length += e.tokens().length;
    }
    int v = transformer.vocabulary();
    if (logits.length < last.length * v) {
      normed = new float[last.length * layout.width()];
      logits = new float[last.length * v];
    }
    transformer.logits(a, last, last.length, normed, null, logits);
    return logits;
  }

  @Override
  public void attend(int layer, Activations activations) {
    int at = 0;
    for (Extension e : step) {
      int n = e.tokens().length;
      Slot slot = slots[e.slot()];
      append(slot, layer, activations.qkv[0], at, n);
      for (int h = 0; h < c.heads(); h++) {
        attendHead(slot, layer, activations, at, n, h);
      }
      at += n;
    }
  }

  /** Puts the keys and values of n tokens behind those that a slot has. */
  private void append(Slot slot, int layer, float[] qkv, int at, int n) {
    int kv = layout.kvWidth();
    int end = slot.length + n;
    int blocks = (end + BLOCK - 1) / BLOCK;
    if (slot.keys[layer].length < blocks * BLOCK * kv) {
      int room = Math.min(c.context() / BLOCK + 1, blocks + blocks / 2 + 1) * BLOCK * kv;
      slot.keys[layer] = Arrays.copyOf(slot.keys[layer], room);
      slot.values[layer] = Arrays.copyOf(slot.values[layer], room);
    }
    float[] keys = slot.keys[layer];
    for (int i = 0; i < n; i++) {
      int row = (at + i) * layout.qkvWidth() + layout.queryWidth();
      int position = slot.length + i;
      int into = position / BLOCK * BLOCK * kv + position % BLOCK;
      for (int d = 0; d < kv; d++) {
        keys[into + d * BLOCK] = qkv[row + d] * scale;
      }
      System.arraycopy(qkv, row + kv, slot.values[layer], position * kv, kv);
    }
  }

  private void attendHead(Slot slot, int layer, Activations act, int at, int n, int head) {
    int kv = layout.kvWidth();
    int column = head / group * dh;
    int end = slot.length + n;
    int blocks = (end + BLOCK - 1) / BLOCK;
    int columns = blocks * BLOCK;
    if (scores.length < n * columns) {
      scores = new float[n * columns * 2];
    }
    View queries = View.rows(act.qkv[0], at * layout.qkvWidth() + head * dh, layout.qkvWidth());
    for (int b = 0; b < blocks; b++) {
      Kernels.multiply(
          queries,
          View.rows(slot.keys[layer], (b * kv + column) * BLOCK, BLOCK),
          View.rows(scores, b * BLOCK, columns),
          n,
          BLOCK,
          dh,
          false);
    }
    int out = at * layout.queryWidth() + head * dh;
    for (int i = 0; i < n; i++) {
      int visible = slot.length + i + 1;
      float max = CausalAttention.softmaxRow(scores, i * columns, visible, columns);
      float sum = Kernels.exponentials(scores, i * columns, columns, max);
      act.rowInverse[0][(at + i) * c.heads() + head] = 1f / sum;
    }
    Kernels.multiply(
        View.rows(scores, 0, columns),
        View.rows(slot.values[layer], column, kv),
        View.rows(act.attended[0], out, layout.queryWidth()),
        n,
        dh,
        end,
        false);
    for (int i = 0; i < n; i++) {
      float inverse = act.rowInverse[0][(at + i) * c.heads() + head];
      Kernels.scale(inverse, act.attended[0], out + i * layout.queryWidth(), dh);
    }
  }
}
