package org.vstar.model.transformer;

import java.util.ArrayList;
import java.util.List;

/**
 * Where each tensor lies in the one flat vector of parameters. Matrices are stored inputs ×
 * outputs, row-major, so that a row of activations times the matrix is a row of outputs.
 */
public final class ParameterLayout {

  /** A tensor of the layout; a vector has one row. */
  public record Tensor(String name, int offset, int rows, int columns) {
    public int size() {
      return rows * columns;
    }

    /** Vectors (norm gains, biases) are neither decayed nor given random starts. */
    public boolean isMatrix() {
      return rows > 1;
    }
  }

  /** The tensors of one block; {@code bias} is null where the model has none. */
  record Block(
      Tensor attentionNorm,
      Tensor qkv,
      Tensor bias,
      Tensor output,
      Tensor feedForwardNorm,
      Tensor gateUp,
      Tensor down) {}

  private final List<Tensor> tensors = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private final Tensor embedding;
  private final Tensor finalNorm;
  private int size;

  /**
   * Lays a model out.
   *
   * @param vocabulary a multiple of 16
   */
  public ParameterLayout(TransformerConfig c, int vocabulary) {
    embedding = add("embedding", vocabulary, c.width());
    for (int l = 0; l < c.layers(); l++) {
      String p = "layers." + l + ".";
      blocks.add(
          new Block(
              add(p + "attention_norm", 1, c.width()),
              add(p + "qkv", c.width(), c.qkvWidth()),
              c.qkvBias() ? add(p + "qkv_bias", 1, c.qkvWidth()) : null,
              add(p + "output", c.width(), c.width()),
              add(p + "feed_forward_norm", 1, c.width()),
              add(p + "gate_up", c.width(), 2 * c.feedForward()),
              add(p + "down", c.feedForward(), c.width())));
    }
    finalNorm = add("final_norm", 1, c.width());
  }

  private Tensor add(String name, int rows, int columns) {
    Tensor tensor = new Tensor(name, size, rows, columns);
    tensors.add(tensor);
    size += tensor.size();
    return tensor;
  }

  /** Number of parameters. */
  public int size() {
    return size;
  }

  /** All tensors in order of offset; they cover the vector without gaps. */
  public List<Tensor> tensors() {
    return tensors;
  }

  Tensor embedding() {
    return embedding;
  }

  Block block(int layer) {
    return blocks.get(layer);
  }

  Tensor finalNorm() {
    return finalNorm;
  }
}
