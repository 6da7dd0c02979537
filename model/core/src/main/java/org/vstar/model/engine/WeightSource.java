package org.vstar.model.engine;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

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

  /**
   * Refuses weights that are not those of their config, before memory is taken for what a damaged
   * config says.
   *
   * @throws InvalidInputException naming a tensor that is missing, has another shape, or is too
   *     many
   */
  default void requireAll() {
    Set<Tensor> expected = new LinkedHashSet<>(ModelTensors.of(config(), vocabulary()));
    Map<String, Tensor> found = new HashMap<>();
    tensors().forEach(tensor -> found.put(tensor.name(), tensor));
    for (Tensor tensor : expected) {
      if (!tensor.equals(found.get(tensor.name()))) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "the weights have no %s, which the model's config asks for; they have %s",
                tensor,
                found.containsKey(tensor.name())
                    ? found.get(tensor.name())
                    : found.size() + " others"));
      }
    }
    for (Tensor tensor : tensors()) {
      if (!expected.contains(tensor)) {
        throw new InvalidInputException(
            "the weights have " + tensor + ", which a model of this config does not have");
      }
    }
  }
}
