package org.vstar.model.engine;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.vstar.common.Experimental;

/** Tensors that can be had as the bytes that are stored, without a copy on Java's heap. */
@Experimental
public interface StoredTensors extends TensorSource {

  /** How a tensor's numbers are stored. */
  DType type(Tensor tensor);

  /**
   * Gives a tensor's bytes, little-endian, row by row, as direct buffers that follow one another.
   *
   * @param to is given each; a buffer is not valid afterwards
   * @throws org.vstar.common.InvalidInputException if there is none of this name and shape
   */
  void bytes(Tensor tensor, Consumer<ByteBuffer> to);
}
