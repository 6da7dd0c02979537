package org.vstar.model.engine.vector;

import org.vstar.model.engine.ModelConfig;
import org.vstar.model.kernels.MatrixProduct;
import org.vstar.model.weights.ParameterLayout;

/**
 * The buffers of a forward pass, reused from pass to pass and grown as needed. A pass that will be
 * differentiated keeps every layer's; one that will not shares a single set among the layers. There
 * is a row for each token of the pass; in the last layer, from {@code attended} on, for each that
 * is wanted.
 */
final class Activations {

  private static final int ROOM = 128;

  private final int heads;
  private final int normedHeads;
  private final ParameterLayout layout;
  private final int kept;
  private int capacity;

  final MatrixProduct product = new MatrixProduct();

  /** Residual stream entering each layer, and leaving the last. */
  final float[][] x;

  final float[][] normed1;
  final float[][] inverse1;

  /** Queries, keys and values, rotated. */
  final float[][] qkv;

  /**
   * Queries and keys before their norms, and each head's 1/rms; empty where heads are not normed.
   */
  final float[][] raw;

  final float[][] headInverse;
  final float[][] attended;
  final float[][] rowMax;
  final float[][] rowInverse;
  final float[][] middle;
  final float[][] normed2;
  final float[][] inverse2;
  final float[][] gateUp;
  final float[][] inner;

  Activations(Transformer transformer, boolean differentiable) {
    ModelConfig config = transformer.config();
    this.layout = transformer.layout();
    this.heads = config.heads();
    this.normedHeads = config.headNorm() ? config.heads() + config.kvHeads() : 0;
    this.kept = differentiable ? config.layers() : 1;
    x = new float[differentiable ? kept + 1 : 1][];
    normed1 = new float[kept][];
    inverse1 = new float[kept][];
    qkv = new float[kept][];
    raw = new float[kept][];
    headInverse = new float[kept][];
    attended = new float[kept][];
    rowMax = new float[kept][];
    rowInverse = new float[kept][];
    middle = new float[kept][];
    normed2 = new float[kept][];
    inverse2 = new float[kept][];
    gateUp = new float[kept][];
    inner = new float[kept][];
  }

  /** Tokens that there is room for where so many are needed: few sizes, so that buffers last. */
  static int room(int tokens) {
    return (tokens + ROOM - 1) / ROOM * ROOM;
  }

  /** How many numbers are kept of a token, in all layers, for a derivative. */
  static long floatsOfToken(ModelConfig c) {
    long normedHeads = c.headNorm() ? c.heads() + c.kvHeads() : 0;
    long layer =
        4L * c.width()
            + c.queryWidth()
            + c.queryWidth()
            + 2L * c.kvWidth()
            + normedHeads * (c.headWidth() + 1)
            + 3L * c.feedForward()
            + 2L * c.heads()
            + 2;
    return c.layers() * layer + c.width();
  }

  /** Makes room for so many tokens. */
  void grow(int tokens) {
    if (tokens <= capacity) {
      return;
    }
    capacity = room(tokens);
    int d = layout.width();
    allocate(x, d);
    allocate(normed1, d);
    allocate(inverse1, 1);
    allocate(qkv, layout.qkvWidth());
    allocate(raw, normedHeads * layout.headWidth());
    allocate(headInverse, normedHeads);
    allocate(attended, layout.queryWidth());
    allocate(rowMax, heads);
    allocate(rowInverse, heads);
    allocate(middle, d);
    allocate(normed2, d);
    allocate(inverse2, 1);
    allocate(gateUp, 2 * layout.feedForward());
    allocate(inner, layout.feedForward());
  }

  private void allocate(float[][] buffers, int width) {
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = new float[capacity * width];
    }
  }

  /** Which set of buffers a layer uses. */
  int slot(int layer) {
    return layer % kept;
  }

  /** The residual stream entering a layer; {@code layers} gives what leaves the last. */
  float[] stream(int layer) {
    return x[layer % x.length];
  }
}
