package org.vstar.model.engine;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Stream;
import org.vstar.common.Experimental;

/** Named tensors of float32, to be read one at a time. */
@Experimental
public interface TensorSource {

  /**
   * A tensor's name and shape.
   *
   * @param rows 1 for a vector
   * @param isMatrix whether it has two sides; one of them may be 1. Vectors (norm gains, biases)
   *     are neither decayed nor given random starts
   */
  record Tensor(String name, int rows, int columns, boolean isMatrix) implements Serializable {

    /** A matrix. */
    public Tensor(String name, int rows, int columns) {
      this(name, rows, columns, true);
    }

    /** A vector. */
    public static Tensor vector(String name, int size) {
      return new Tensor(name, 1, size, false);
    }

    /** How many values it has. */
    public int size() {
      return Math.multiplyExact(rows, columns);
    }

    /** The same shape under another name. */
    public Tensor named(String other) {
      return new Tensor(other, rows, columns, isMatrix);
    }
  }

  /** What there is, in a fixed order. */
  List<Tensor> tensors();

  /**
   * Copies a tensor's values, row by row.
   *
   * @param tensor with the name and shape that are expected
   * @throws org.vstar.common.InvalidInputException if it is missing or has another shape
   */
  void read(Tensor tensor, float[] into, int offset);

  /** Takes a tensor's values, piece by piece. */
  @FunctionalInterface
  interface Pieces {
    /**
     * Takes the next values, row by row.
     *
     * @param values may be filled with others afterwards
     * @param count how many of them, from the first
     */
    void take(float[] values, int count);
  }

  /**
   * Reads a tensor's values in order, as {@link #read} does. A source that does not hold them on
   * Java's heap hands them out in pieces, so that a tensor may be larger than the heap.
   */
  default void readPieces(Tensor tensor, Pieces to) {
    float[] values = new float[tensor.size()];
    read(tensor, values, 0);
    to.take(values, values.length);
  }

  /** What {@link #read} does, by the pieces of a source that hands out such. */
  static void readJoined(TensorSource source, Tensor tensor, float[] into, int offset) {
    int[] at = {offset};
    source.readPieces(
        tensor,
        (values, count) -> {
          System.arraycopy(values, 0, into, at[0], count);
          at[0] += count;
        });
  }

  /**
   * The tensors of two sources, whose names differ.
   *
   * @param second what is not in the first
   */
  static TensorSource joined(TensorSource first, TensorSource second) {
    record Joined(TensorSource first, TensorSource second) implements TensorSource {
      @Override
      public List<Tensor> tensors() {
        return Stream.concat(first.tensors().stream(), second.tensors().stream()).toList();
      }

      @Override
      public void read(Tensor tensor, float[] into, int offset) {
        of(tensor).read(tensor, into, offset);
      }

      @Override
      public void readPieces(Tensor tensor, Pieces to) {
        of(tensor).readPieces(tensor, to);
      }

      private TensorSource of(Tensor tensor) {
        return first.tensors().contains(tensor) ? first : second;
      }
    }
    return new Joined(first, second);
  }
}
