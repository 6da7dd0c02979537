package org.vstar.model.engine.vector;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.engine.vector.ParameterLayout.Slice;

/**
 * The model on the CPU, on the JDK's vector instructions. Every product and sum has an order that
 * depends on neither the batch nor the threads, so that sampled and scored log-probabilities are
 * equal to the last bit.
 */
public final class VectorEngine implements Engine {

  /** Its name in configs. */
  public static final String KIND = "vector";

  /** Makes {@code vector} known. */
  public static final class Kind implements EngineKind {
    @Override
    public String kind() {
      return KIND;
    }

    @Override
    public VectorEngine open(WeightSource source, EngineOptions options) {
      ModelConfig config = source.config();
      ParameterLayout layout =
          new ParameterLayout(config, ParameterLayout.padded(source.vocabulary()));
      requireAll(layout, source);
      float[] values = new float[layout.size()];
      for (Slice slice : layout.slices()) {
        source.read(slice.tensor(), values, slice.offset());
      }
      return new VectorEngine(new Transformer(config, source.vocabulary(), values), options);
    }
  }

  /** Before memory is taken for what a damaged config says. */
  private static void requireAll(ParameterLayout layout, WeightSource source) {
    Set<Tensor> there = new HashSet<>(source.tensors());
    for (Slice slice : layout.slices()) {
      if (!there.contains(slice.tensor())) {
        throw new InvalidInputException(
            "the weights have no "
                + slice.tensor()
                + ", which the model's config asks for; they have "
                + there.stream()
                    .filter(tensor -> tensor.name().equals(slice.tensor().name()))
                    .findFirst()
                    .map(Tensor::toString)
                    .orElse(there.size() + " others"));
      }
    }
    if (there.size() != layout.slices().size()) {
      throw new InvalidInputException(
          String.format(
              "the weights have %d tensors, expected the %d of the model's config",
              there.size(), layout.slices().size()));
    }
  }

  private final Transformer transformer;
  private final EngineOptions options;

  private VectorEngine(Transformer transformer, EngineOptions options) {
    this.transformer = transformer;
    this.options = options;
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public ModelConfig config() {
    return transformer.config();
  }

  @Override
  public int vocabulary() {
    return transformer.tokens();
  }

  @Override
  public double logProbTolerance() {
    return 0;
  }

  @Override
  public String fingerprint() {
    ContentHash hash = new ContentHash();
    for (Slice slice : transformer.layout().slices()) {
      ByteBuffer bytes =
          ByteBuffer.allocate(Math.multiplyExact(slice.size(), Float.BYTES))
              .order(ByteOrder.LITTLE_ENDIAN);
      bytes.asFloatBuffer().put(transformer.weights(), slice.offset(), slice.size());
      hash.add(slice.tensor().name()).add(bytes.array());
    }
    return CanonicalJson.of("weights", 1)
        .with("model", config().canonical())
        .with("vocabulary", vocabulary())
        .with("tensors", hash.hex())
        .fingerprint();
  }

  @Override
  public Generator generator(int slots) {
    return new VectorGenerator(transformer, slots);
  }

  @Override
  public Scorer scorer(double temperature) {
    return new VectorScorer(transformer, temperature, options);
  }

  @Override
  public Gradient gradient() {
    return new VectorGradient(transformer.layout().size());
  }

  @Override
  public Optimizer optimizer(OptimizerConfig config) {
    return new AdamW(transformer, config);
  }

  @Override
  public VectorEngine copy() {
    float[] values = transformer.weights().clone();
    return new VectorEngine(new Transformer(config(), vocabulary(), values), options);
  }

  @Override
  public WeightSource weights() {
    return new VectorWeights(config(), vocabulary(), transformer.weights().clone());
  }

  @Override
  public void close() {
    // The arrays are the garbage collector's.
  }
}
