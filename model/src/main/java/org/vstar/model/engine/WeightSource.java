package org.vstar.model.engine;

import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.common.Experimental;

/** The parameters of a model, by the names and shapes of {@link ModelTensors}. */
@Experimental
public interface WeightSource extends TensorSource {

  /** The model's shape. */
  ModelConfig config();

  /** Number of token ids. */
  int vocabulary();

  /** Content hash of the shape and of every parameter as float32; engines give the same. */
  default String fingerprint() {
    ContentHash hash = new ContentHash();
    for (Tensor tensor : ModelTensors.of(config(), vocabulary())) {
      float[] values = new float[tensor.size()];
      read(tensor, values, 0);
      hash.add(tensor.name()).add(values, 0, values.length);
    }
    return CanonicalJson.of("weights", 2)
        .with("model", config().canonical())
        .with("vocabulary", vocabulary())
        .with("tensors", hash.hex())
        .fingerprint();
  }
}
