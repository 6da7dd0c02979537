package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.TensorSource;

/**
 * Where each tensor lies in the one flat vector of parameters. Matrices are stored inputs ×
 * outputs, row-major, so that a row of activations times the matrix is a row of outputs.
 */
public final class ParameterLayout {

  /** A tensor and where its values begin. */
  public record Slice(TensorSource.Tensor tensor, int offset) {
    int rows() {
      return tensor.rows();
    }

    int columns() {
      return tensor.columns();
    }

    int size() {
      return tensor.size();
    }
  }

  /** The tensors of one block; {@code bias} is null where the model has none. */
  record Block(
      Slice attentionNorm,
      Slice qkv,
      Slice bias,
      Slice output,
      Slice feedForwardNorm,
      Slice gateUp,
      Slice down) {}

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private final List<Slice> slices = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private final Slice embedding;
  private final Slice finalNorm;
  private int size;

  /**
   * Lays a model out.
   *
   * @param vocabulary a multiple of 16
   * @throws InvalidInputException if it is too large
   */
  public ParameterLayout(ModelConfig c, int vocabulary) {
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

  private Slice add(String name, int rows, int columns) {
    Slice slice = new Slice(new TensorSource.Tensor(name, rows, columns), size);
    slices.add(slice);
    long end = size + (long) rows * columns;
    if (end > LARGEST) {
      throw new InvalidInputException(
          "the model has more parameters than fit into one Java array (" + LARGEST + ")");
    }
    size = (int) end;
    return slice;
  }

  /** Number of parameters. */
  public int size() {
    return size;
  }

  /** All tensors in order of offset; they cover the vector without gaps. */
  public List<Slice> slices() {
    return slices;
  }

  Slice embedding() {
    return embedding;
  }

  Block block(int layer) {
    return blocks.get(layer);
  }

  Slice finalNorm() {
    return finalNorm;
  }

  /** A vocabulary's size as it is stored: padded to a multiple of 16. */
  public static int padded(int vocabulary) {
    return (vocabulary + Kernels.LANES - 1) / Kernels.LANES * Kernels.LANES;
  }
}
