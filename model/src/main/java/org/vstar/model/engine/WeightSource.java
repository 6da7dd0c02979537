package org.vstar.model.engine;

import java.io.Serializable;
import org.vstar.common.Experimental;

/**
 * The parameters of a model. They travel to executors by Java serialization. Matrices are inputs ×
 * outputs, so that a row of activations times the matrix is a row of outputs.
 */
@Experimental
public interface WeightSource extends TensorSource, Serializable {

  /** The model's shape. */
  ModelConfig config();

  /** Number of token ids. */
  int vocabulary();
}
