package org.vstar.model.engine.vector;

import java.util.Arrays;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.weights.FlatTensors;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;
import org.vstar.model.weights.ParameterLayout.Block;

/**
 * The forward pass over a flat vector of parameters.
 *
 * <p>Tokens are packed: the sequences of a batch stand one behind the other with no padding, and
 * everything but attention treats each token as a row. The parameters may be changed between passes
 * (see {@link #weightsChanged}); passes of several threads may run at once, each with its own
 * {@link Activations}.
 */
public final class Transformer {

  /** How tokens look at one another: within a batch, or through a cache. */
  interface Attention {
    /**
     * Fills {@code attended} from {@code qkv} of a layer's activations.
     *
     * @param layer the layer, for attention that remembers
     * @param rows the tokens that look: {@code attended} receives a row for each, one behind the
     *     other
     */
    void attend(int layer, Rows rows, Activations a);
  }

  /** Places whose rotations are made at once, at least. */
  private static final int MIN_PLACES = 512;

  private final ModelConfig config;
  private final int tokens;
  private final int vocabulary;
  private final ParameterLayout layout;
  private final float[] weights;
  private volatile Rotations rotations = new Rotations(0, new float[0], new float[0]);
  private final WeightPanels panels;

  /** What is added to projections; null if the model is not adapted. */
  private final LowRank lowRank;

  /**
   * Wraps parameters; they are not copied.
   *
   * @param vocabulary number of tokens; ids from there up to a multiple of 16 are padding and have
   *     probability 0
   */
  public Transformer(ModelConfig config, int vocabulary, float[] weights) {
    this.lowRank = null;
    this.config = config;
    this.tokens = vocabulary;
    this.layout = new ParameterLayout(config, vocabulary);
    this.vocabulary = layout.vocabulary();
    if (weights.length != layout.size()) {
      throw new IllegalArgumentException(
          weights.length + " parameters given, " + layout.size() + " expected");
    }
    this.weights = weights;
    this.panels = new WeightPanels(weights, layout.flat());
  }

  /** The same parameters, which are not trained, with something added to projections. */
  Transformer(Transformer base, LowRank lowRank) {
    this.lowRank = lowRank;
    this.config = base.config;
    this.tokens = base.tokens;
    this.layout = base.layout;
    this.vocabulary = base.vocabulary;
    this.weights = base.weights;
    this.panels = base.panels;
  }

  /** Cosines and sines of each pair's angle at the places from 0 on. */
  private record Rotations(int places, float[] cos, float[] sin) {}

  /** Of the places up to one that is asked for; a context may be far longer than any episode. */
  private Rotations rotations(int place) {
    Rotations known = rotations;
    if (place < known.places) {
      return known;
    }
    synchronized (this) {
      if (place >= rotations.places) {
        rotations = rotationsOf(Math.max(MIN_PLACES, place + place / 2 + 1));
      }
      return rotations;
    }
  }

  private Rotations rotationsOf(int places) {
    double[] frequencies = config.ropeFrequencies();
    int half = frequencies.length;
    float[] cos = new float[Math.multiplyExact(places, half)];
    float[] sin = new float[cos.length];
    for (int p = 0; p < places; p++) {
      for (int i = 0; i < half; i++) {
        double angle = p * frequencies[i];
        cos[p * half + i] = (float) StrictMath.cos(angle);
        sin[p * half + i] = (float) StrictMath.sin(angle);
      }
    }
    return new Rotations(places, cos, sin);
  }

  public ModelConfig config() {
    return config;
  }

  /** Number of token ids, without padding. */
  public int tokens() {
    return tokens;
  }

  /** Number of token ids, padding included. */
  public int vocabulary() {
    return vocabulary;
  }

  public ParameterLayout layout() {
    return layout;
  }

  /** The parameters themselves, not a copy. */
  public float[] weights() {
    return weights;
  }

  /** Must be called after what is trained was changed and before the next pass. */
  public void weightsChanged() {
    if (lowRank == null) {
      panels.changed();
    } else {
      lowRank.changed();
    }
  }

  /** The adapter, or null. */
  LowRank lowRank() {
    return lowRank;
  }

  /** What is trained: the adapter if there is one, else the parameters. Not a copy. */
  float[] trained() {
    return lowRank == null ? weights : lowRank.values();
  }

  /** What lies where in it. */
  FlatTensors trainedTensors() {
    return lowRank == null ? layout.flat() : lowRank.layout().flat();
  }

  /** The parameters' matrices, laid out for products. */
  WeightPanels panels() {
    return panels;
  }

  /**
   * Runs the blocks over n packed tokens; the result is {@code a.stream(layers)}, before the final
   * norm: a row for each that is wanted, one behind the other. The last block makes of the others
   * what the wanted ones look at, and no more.
   *
   * @param positions place of each token in its own sequence
   * @param wanted the tokens whose outcome is read
   */
  void forward(
      int[] tokens, int[] positions, int n, Rows wanted, Activations a, Attention attention) {
    a.grow(n);
    int d = layout.width();
    float[] x = a.stream(0);
    for (int t = 0; t < n; t++) {
      System.arraycopy(weights, layout.embedding().offset() + tokens[t] * d, x, t * d, d);
    }
    Rows all = Rows.all(n);
    for (int l = 0; l < config.layers(); l++) {
      Rows rows = l == config.layers() - 1 ? wanted : all;
      queriesKeysValues(l, positions, n, a);
      attention.attend(l, rows, a);
      afterAttention(l, rows, a);
    }
  }

  private void queriesKeysValues(int l, int[] positions, int n, Activations a) {
    Block b = layout.block(l);
    int s = a.slot(l);
    norm(a.stream(l), b.attentionNorm(), a.normed1[s], a.inverse1[s], n);
    project(a, a.normed1[s], b.qkv(), a.qkv[s], n, false);
    adapt(l, a, a.normed1[s], b.qkv(), a.qkv[s], n);
    addBias(b.qkvBias(), a.qkv[s], n);
    if (b.queryNorm() != null) {
      normHeads(b, a.qkv[s], a.raw[s], a.headInverse[s], n);
    }
    rotate(a.qkv[s], positions, n, 1);
  }

  private void afterAttention(int l, Rows rows, Activations a) {
    Block b = layout.block(l);
    int s = a.slot(l);
    int d = layout.width();
    int f = layout.feedForward();
    int n = rows.count();
    rows.gather(a.stream(l), d, a.middle[s]);
    project(a, a.attended[s], b.output(), a.middle[s], n, true);
    adapt(l, a, a.attended[s], b.output(), a.middle[s], n);
    addBias(b.outputBias(), a.middle[s], n);

    norm(a.middle[s], b.feedForwardNorm(), a.normed2[s], a.inverse2[s], n);
    project(a, a.normed2[s], b.gateUp(), a.gateUp[s], n, false);
    adapt(l, a, a.normed2[s], b.gateUp(), a.gateUp[s], n);
    addBias(b.gateUpBias(), a.gateUp[s], n);
    for (int t = 0; t < n; t++) {
      Kernels.swiglu(a.gateUp[s], t * 2 * f, a.inner[s], t * f, f);
    }
    float[] out = a.stream(l + 1);
    System.arraycopy(a.middle[s], 0, out, 0, n * d);
    project(a, a.inner[s], b.down(), out, n, true);
    adapt(l, a, a.inner[s], b.down(), out, n);
    addBias(b.downBias(), out, n);
  }

  private void adapt(int layer, Activations a, float[] in, Slice w, float[] out, int n) {
    if (lowRank != null) {
      lowRank.add(layer, a.product, in, w, out, n);
    }
  }

  private void addBias(Slice bias, float[] out, int n) {
    for (int t = 0; bias != null && t < n; t++) {
      int columns = bias.columns();
      Kernels.addScaled(1f, weights, bias.offset(), out, t * columns, columns);
    }
  }

  private void project(Activations a, float[] in, Slice w, float[] out, int n, boolean add) {
    a.product.multiply(
        View.rows(in, 0, w.rows()),
        panels.of(w),
        View.rows(out, 0, w.columns()),
        n,
        w.columns(),
        w.rows(),
        add);
  }

  /** RMSNorm of n rows; keeps each row's 1/rms for the backward pass. */
  private void norm(float[] x, Slice gain, float[] out, float[] inverse, int n) {
    for (int t = 0; t < n; t++) {
      int row = t * layout.width();
      inverse[t] = normRow(x, row, config.width(), gain, out, row);
    }
  }

  /** Norms a row whose true width is given; gives its 1/rms. */
  private float normRow(float[] x, int xOff, int width, Slice gain, float[] out, int outOff) {
    int d = gain.columns();
    float meanSquare = Kernels.dot(x, xOff, x, xOff, d) / width;
    float inverse = 1f / (float) Math.sqrt(meanSquare + (float) config.normEpsilon());
    Kernels.scaledProduct(inverse, x, xOff, weights, gain.offset(), out, outOff, d);
    return inverse;
  }

  /** Norms each head's query and key in place; keeps what they were, and each 1/rms. */
  private void normHeads(Block b, float[] qkv, float[] raw, float[] inverse, int n) {
    int dh = layout.headWidth();
    int normed = config.heads() + config.kvHeads();
    for (int t = 0; t < n; t++) {
      System.arraycopy(qkv, t * layout.qkvWidth(), raw, t * normed * dh, normed * dh);
      for (int h = 0; h < normed; h++) {
        int from = (t * normed + h) * dh;
        int into = t * layout.qkvWidth() + h * dh;
        Slice gain = h < config.heads() ? b.queryNorm() : b.keyNorm();
        inverse[t * normed + h] = normRow(raw, from, config.headWidth(), gain, qkv, into);
      }
    }
  }

  /** Rotates queries and keys by their positions; direction −1 undoes it (and is its gradient). */
  void rotate(float[] qkv, int[] positions, int n, int direction) {
    int dh = layout.headWidth();
    int half = config.headWidth() / 2;
    int rotated = config.heads() + config.kvHeads();
    int last = 0;
    for (int t = 0; t < n; t++) {
      last = Math.max(last, positions[t]);
    }
    Rotations known = rotations(last);
    float[] cos = known.cos;
    float[] sin = known.sin;
    for (int t = 0; t < n; t++) {
      int angle = positions[t] * half;
      for (int h = 0; h < rotated; h++) {
        int at = t * layout.qkvWidth() + h * dh;
        for (int i = 0; i < half; i++) {
          float c = cos[angle + i];
          float s = direction * sin[angle + i];
          float u = qkv[at + i];
          float v = qkv[at + half + i];
          qkv[at + i] = u * c - v * s;
          qkv[at + half + i] = v * c + u * s;
        }
      }
    }
  }

  /**
   * Logits of the tokens that a pass was wanted for.
   *
   * @param count how many
   * @param normed receives their final-normed rows, rows × width
   * @param inverse receives their 1/rms, or null
   * @param logits receives rows × vocabulary
   */
  void logits(Activations a, int count, float[] normed, float[] inverse, float[] logits) {
    int d = layout.width();
    float[] stream = a.stream(config.layers());
    for (int r = 0; r < count; r++) {
      float scale = normRow(stream, r * d, config.width(), layout.finalNorm(), normed, r * d);
      if (inverse != null) {
        inverse[r] = scale;
      }
    }
    a.product.multiply(
        View.rows(normed, 0, d),
        panels.turned(layout.head()),
        View.rows(logits, 0, vocabulary),
        count,
        vocabulary,
        d,
        false);
    for (int r = 0; r < count; r++) {
      Arrays.fill(logits, r * vocabulary + tokens, (r + 1) * vocabulary, Float.NEGATIVE_INFINITY);
    }
  }
}
