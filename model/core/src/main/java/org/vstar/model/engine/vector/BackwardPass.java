package org.vstar.model.engine.vector;

import java.util.Arrays;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;
import org.vstar.model.weights.ParameterLayout.Block;

/** The gradient through the blocks, from what a forward pass left in its {@link Activations}. */
final class BackwardPass {

  private final Transformer transformer;
  private final ParameterLayout layout;
  private final ModelConfig c;
  private final Activations a;
  private final CausalAttention attention;
  private final float[] dHead;

  private float[] dx = new float[0];
  private float[] dInner;
  private float[] dNormed;
  private float[] dAttended;
  private float[] dQkv;

  BackwardPass(Transformer transformer, Activations activations, CausalAttention attention) {
    this.transformer = transformer;
    this.layout = transformer.layout();
    this.c = transformer.config();
    this.a = activations;
    this.attention = attention;
    this.dHead = new float[layout.headWidth()];
  }

  /**
   * The gradient by the residual stream, set to zero; {@link #blocks} changes it.
   *
   * @param n tokens of the pass, as many as there may be rows
   */
  float[] stream(int n) {
    if (dx.length < n * layout.width()) {
      int room = n + n / 2;
      dx = new float[room * layout.width()];
      dInner = new float[room * layout.feedForward()];
      dNormed = new float[room * layout.width()];
      dAttended = new float[room * layout.queryWidth()];
      dQkv = new float[room * layout.qkvWidth()];
    }
    Arrays.fill(dx, 0, n * layout.width(), 0);
    return dx;
  }

  /** Whether the parameters themselves are trained, and not an adapter. */
  private boolean trainsParameters() {
    return transformer.lowRank() == null;
  }

  /**
   * Goes back from what left the last block to what entered the first.
   *
   * @param wanted the tokens that the pass was wanted for; the stream's gradient has their rows at
   *     first, one behind the other, and those of all n tokens in the end
   */
  void blocks(int[] positions, int n, Rows wanted, float[] gradient) {
    Rows all = Rows.all(n);
    for (int l = c.layers() - 1; l >= 0; l--) {
      Rows rows = l == c.layers() - 1 ? wanted : all;
      afterAttention(l, rows.count(), gradient);
      attention.addGradient(l, rows, a, dAttended, dQkv);
      rows.spread(dx, layout.width(), n);
      queriesKeysValues(l, positions, n, gradient);
    }
  }

  /** Back to what was attended to, and past it to the stream that entered. */
  private void afterAttention(int l, int n, float[] gradient) {
    int f = layout.feedForward();
    Block b = layout.block(l);
    // x' = middle + swiglu(norm(middle)·gateUp)·down
    bias(b.downBias(), dx, n, gradient);
    project(l, a.inner[l], dx, b.down(), dInner, n, gradient);
    for (int t = 0; t < n; t++) {
      Kernels.swigluGradient(a.gateUp[l], t * 2 * f, dInner, t * f, f);
    }
    bias(b.gateUpBias(), a.gateUp[l], n, gradient);
    project(l, a.normed2[l], a.gateUp[l], b.gateUp(), dNormed, n, gradient);
    norms(a.middle[l], a.inverse2[l], b.feedForwardNorm(), n, gradient);
    // middle = x + attention(norm(x)·qkv)·output
    bias(b.outputBias(), dx, n, gradient);
    project(l, a.attended[l], dx, b.output(), dAttended, n, gradient);
  }

  private void queriesKeysValues(int l, int[] positions, int n, float[] gradient) {
    Block b = layout.block(l);
    transformer.rotate(dQkv, positions, n, -1);
    if (b.queryNorm() != null) {
      headNorms(l, b, n, gradient);
    }
    bias(b.qkvBias(), dQkv, n, gradient);
    project(l, a.normed1[l], dQkv, b.qkv(), dNormed, n, gradient);
    norms(a.stream(l), a.inverse1[l], b.attentionNorm(), n, gradient);
  }

  private void bias(Slice bias, float[] dOut, int n, float[] gradient) {
    for (int t = 0; bias != null && trainsParameters() && t < n; t++) {
      int columns = bias.columns();
      Kernels.addScaled(1f, dOut, t * columns, gradient, bias.offset(), columns);
    }
  }

  /** For out = in·W: dW += inᵀ·dOut, and dIn = dOut·Wᵀ; and what an adapter adds to both. */
  private void project(
      int layer, float[] in, float[] dOut, Slice w, float[] dIn, int n, float[] gradient) {
    if (trainsParameters()) {
      a.product.multiply(
          View.transposed(in, 0, w.rows()),
          View.rows(dOut, 0, w.columns()),
          View.rows(gradient, w.offset(), w.columns()),
          w.rows(),
          w.columns(),
          n,
          true);
    }
    a.product.multiply(
        View.rows(dOut, 0, w.columns()),
        transformer.panels().turned(w),
        View.rows(dIn, 0, w.rows()),
        n,
        w.rows(),
        w.columns(),
        false);
    if (!trainsParameters()) {
      transformer.lowRank().addGradient(layer, a.product, in, w, dOut, dIn, n, gradient);
    }
  }

  private void norms(float[] x, float[] inverses, Slice gain, int n, float[] gradient) {
    int d = layout.width();
    for (int t = 0; t < n; t++) {
      norm(x, t * d, inverses[t], dNormed, t * d, gain, c.width(), dx, t * d, gradient);
    }
  }

  /** From the gradient by normed queries and keys in {@code dQkv} to that by what was normed. */
  private void headNorms(int layer, Block b, int n, float[] gradient) {
    int dh = layout.headWidth();
    int normed = c.heads() + c.kvHeads();
    for (int t = 0; t < n; t++) {
      for (int h = 0; h < normed; h++) {
        int from = (t * normed + h) * dh;
        int at = t * layout.qkvWidth() + h * dh;
        float s = a.headInverse[layer][t * normed + h];
        Slice gain = h < c.heads() ? b.queryNorm() : b.keyNorm();
        Arrays.fill(dHead, 0);
        norm(a.raw[layer], from, s, dQkv, at, gain, c.headWidth(), dHead, 0, gradient);
        System.arraycopy(dHead, 0, dQkv, at, dh);
      }
    }
  }

  /**
   * For y = x·s·g with s = 1/rms(x): dx += s·g·dy − x·s³·mean(x·g·dy), dg += dy·x·s. Uses dy up.
   *
   * @param width true width of the row
   */
  void norm(
      float[] x,
      int xOff,
      float s,
      float[] dy,
      int dyOff,
      Slice gain,
      int width,
      float[] into,
      int intoOff,
      float[] gradient) {
    int d = gain.columns();
    int g = gain.offset();
    if (trainsParameters()) {
      Kernels.addProduct(s, dy, dyOff, x, xOff, gradient, g, d);
    }
    Kernels.scaledProduct(s, dy, dyOff, transformer.weights(), g, dy, dyOff, d);
    float mean = Kernels.dot(x, xOff, dy, dyOff, d) / width;
    Kernels.addScaled(1f, dy, dyOff, into, intoOff, d);
    Kernels.addScaled(-s * s * mean, x, xOff, into, intoOff, d);
  }
}
