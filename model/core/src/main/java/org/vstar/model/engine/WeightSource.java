package org.vstar.model.engine;

import java.util.List;
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

  /**
   * Tensors as the parameters of a model.
   *
   * @param tensors those of {@link ModelTensors}
   */
  static WeightSource of(ModelConfig config, int vocabulary, TensorSource tensors) {
    record Shaped(ModelConfig config, int vocabulary, TensorSource source) implements WeightSource {
      @Override
      public List<Tensor> tensors() {
        return source.tensors();
      }

      @Override
      public void read(Tensor tensor, float[] into, int offset) {
        source.read(tensor, into, offset);
      }

      @Override
      public void readPieces(Tensor tensor, Pieces to) {
        source.readPieces(tensor, to);
      }
    }
    return new Shaped(config, vocabulary, tensors);
  }

  /** Content hash of the shape and of every parameter as float32; engines give the same. */
  default String fingerprint() {
    ContentHash hash = new ContentHash();
    for (Tensor tensor : ModelTensors.of(config(), vocabulary())) {
      hash.add(tensor.name()).add((long) tensor.size());
      readPieces(tensor, (values, count) -> hash.append(values, 0, count));
    }
    return CanonicalJson.of("weights", 2)
        .with("model", config().canonical())
        .with("vocabulary", vocabulary())
        .with("tensors", hash.hex())
        .fingerprint();
  }
}
