package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.Transformer.Attention;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.Panels;
import org.vstar.model.weights.ParameterLayout;

/**
 * Next-token logits for many growing sequences at once. Each sequence has a slot with its keys and
 * values; a step appends any number of tokens to any of the slots, so that reading an observation
 * and writing an answer share a batch. Sequences that begin alike, as the samples of one task do,
 * have the keys and values of their common beginning once. One per thread.
 */
public final class Decoder implements Attention {

  private final Transformer transformer;
  private final ModelConfig c;
  private final ParameterLayout layout;
  private final int dh;
  private final int group;
  private final KeyValueCache[] slots;
  private final Activations a;

  /** What the pass under way appends. */
  private final List<Extension> step = new ArrayList<>();

  private int[] tokens = new int[0];
  private int[] positions = new int[0];
  private float[] queries = new float[0];
  private float[] scores = new float[0];
  private float[] normed = new float[0];
  private int[] last = new int[0];
  private float[] rows = new float[0];
  private float[] logits = new float[0];

  public Decoder(Transformer transformer, int slots) {
    this.transformer = transformer;
    this.c = transformer.config();
    this.layout = transformer.layout();
    this.dh = layout.headWidth();
    this.group = c.heads() / c.kvHeads();
    this.a = new Activations(transformer, false);
    float scale = (float) (1 / Math.sqrt(c.headWidth()));
    this.slots = new KeyValueCache[slots];
    Arrays.setAll(this.slots, i -> new KeyValueCache(c, layout, scale));
  }

  /** Empties a slot for another sequence. */
  public void reset(int slot) {
    slots[slot].clear();
  }

  /** Puts what a slot holds into another. */
  void copy(int from, int to) {
    slots[to].copy(slots[from]);
  }

  /** Tokens in a slot. */
  public int length(int slot) {
    return slots[slot].length();
  }

  /** What a slot remembers. */
  KeyValueCache cache(int slot) {
    return slots[slot];
  }

  /**
   * Appends tokens and predicts what follows the last of each extension.
   *
   * @return logits, one row of {@code vocabulary} for each extension; overwritten by the next step
   */
  public float[] extend(List<Extension> extensions) {
    for (Extension e : extensions) {
      if (slots[e.slot()].length() + e.tokens().length > c.context()) {
        throw new IllegalArgumentException("slot " + e.slot() + " would pass the context");
      }
    }
    int v = transformer.vocabulary();
    if (logits.length < extensions.size() * v) {
      normed = new float[extensions.size() * layout.width()];
      logits = new float[extensions.size() * v];
      rows = new float[extensions.size() * v];
      last = new int[extensions.size()];
    }
    // Those that begin like an earlier one wait until that one's keys and values are there.
    List<Integer> now = new ArrayList<>();
    List<Integer> later = new ArrayList<>();
    for (int i = 0; i < extensions.size(); i++) {
      (beginsLikeOneOf(extensions, now, i) ? later : now).add(i);
    }
    pass(extensions, now);
    if (!later.isEmpty()) {
      pass(extensions, later);
    }
    return logits;
  }

  private boolean beginsLikeOneOf(List<Extension> extensions, List<Integer> earlier, int i) {
    Extension e = extensions.get(i);
    if (e.tokens().length <= KeyValueCache.BLOCK || slots[e.slot()].length() > 0) {
      return false;
    }
    for (int j : earlier) {
      Extension other = extensions.get(j);
      int differs = Arrays.mismatch(e.tokens(), other.tokens());
      if (slots[other.slot()].length() == 0 && (differs < 0 || differs >= KeyValueCache.BLOCK)) {
        return true;
      }
    }
    return false;
  }

  /** Some of the extensions; fills their rows of the logits. */
  private void pass(List<Extension> extensions, List<Integer> some) {
    step.clear();
    int n = 0;
    for (int i : some) {
      Extension e = extensions.get(i);
      int[] more = e.tokens();
      if (slots[e.slot()].length() == 0) {
        more = Arrays.copyOfRange(more, shared(e), more.length);
      }
      step.add(new Extension(e.slot(), more));
      n += more.length;
    }
    makeRoom(n);
    int t = 0;
    for (int i = 0; i < some.size(); i++) {
      Extension e = step.get(i);
      int at = slots[e.slot()].length();
      for (int token : e.tokens()) {
        tokens[t] = token;
        positions[t++] = at++;
      }
      last[i] = t - 1;
    }
    transformer.forward(tokens, positions, n, new Rows(last, some.size()), a, this);
    for (Extension e : step) {
      slots[e.slot()].appended(e.tokens());
    }
    int v = transformer.vocabulary();
    transformer.logits(a, some.size(), normed, null, rows);
    for (int i = 0; i < some.size(); i++) {
      System.arraycopy(rows, i * v, logits, some.get(i) * v, v);
    }
  }

  /** Lets an empty slot share the longest beginning that another has; gives its length. */
  private int shared(Extension e) {
    int most = 0;
    KeyValueCache from = null;
    for (KeyValueCache other : slots) {
      int common = other.common(e.tokens());
      if (common > most) {
        most = common;
        from = other;
      }
    }
    if (from != null) {
      slots[e.slot()].share(from, most);
    }
    return most;
  }

  private void makeRoom(int n) {
    if (tokens.length < n) {
      tokens = new int[2 * n];
      positions = new int[2 * n];
    }
  }

  @Override
  public void attend(int layer, Rows looking, Activations activations) {
    int at = 0;
    for (Extension e : step) {
      int n = e.tokens().length;
      KeyValueCache slot = slots[e.slot()];
      slot.append(layer, activations.qkv[0], at, n);
      int first = looking.firstFrom(at);
      for (int h = 0; h < c.heads(); h++) {
        attendHead(slot, layer, Queries.of(looking, at, n, h, first, n));
      }
      at += n;
    }
  }

  private void attendHead(KeyValueCache slot, int layer, Queries q) {
    int end = slot.length() + q.n();
    int blocks = (end + KeyValueCache.BLOCK - 1) / KeyValueCache.BLOCK;
    int columns = blocks * KeyValueCache.BLOCK;
    if (scores.length < q.count() * columns) {
      scores = new float[q.count() * columns * 2];
    }
    if (queries.length < q.count() * dh) {
      queries = new float[q.count() * dh * 2];
    }
    q.gather(a.qkv[0], layout.qkvWidth(), dh, queries);
    for (int b = 0; b < blocks; b++) {
      View into = View.rows(scores, b * KeyValueCache.BLOCK, columns);
      Panels keys = slot.keys(b, layer, q.head() / group);
      View asking = View.rows(queries, 0, dh);
      a.product.multiply(asking, keys, into, q.count(), KeyValueCache.BLOCK, dh, false);
    }
    for (int i = 0; i < q.count(); i++) {
      int visible = slot.length() + q.seen(i);
      float max = CausalAttention.softmaxRow(scores, i * columns, visible, columns);
      float sum = Kernels.exponentials(scores, i * columns, columns, max);
      a.rowInverse[0][(q.first() + i) * c.heads() + q.head()] = 1f / sum;
    }
    int out = q.first() * layout.queryWidth() + q.head() * dh;
    View into = View.rows(a.attended[0], out, layout.queryWidth());
    for (int b = 0; b < blocks; b++) {
      int first = b * KeyValueCache.BLOCK;
      int seen = Math.min(KeyValueCache.BLOCK, end - first);
      Panels values = slot.values(b, layer, q.head() / group);
      a.product.multiply(
          View.rows(scores, first, columns), values, into, q.count(), dh, seen, b > 0);
    }
    for (int i = 0; i < q.count(); i++) {
      float inverse = a.rowInverse[0][(q.first() + i) * c.heads() + q.head()];
      Kernels.scale(inverse, a.attended[0], out + i * layout.queryWidth(), dh);
    }
  }
}
