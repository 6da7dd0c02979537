package org.vstar.model.engine.nd4j;

import java.util.Optional;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.WeightSource;

/**
 * The model by ND4J's operations alone, in float32, on whatever backend of ND4J's is on the class
 * path: its own for the CPU, or the one for CUDA.
 */
public final class Nd4jEngine implements Engine {

  /** Its name in configs. */
  public static final String KIND = "nd4j";

  /** Sums come out of different kernels, in different orders. */
  private static final double TOLERANCE = 2e-3;

  /** Makes {@code nd4j} known. */
  public static final class Kind implements EngineKind {
    @Override
    public String kind() {
      return KIND;
    }

    @Override
    public boolean searchesBeams() {
      return true;
    }

    @Override
    public Nd4jEngine open(WeightSource source, EngineOptions options) {
      Backend.require(options);
      source.requireAll();
      ModelConfig config = source.config();
      Parameters stored = Parameters.read(source, ModelTensors.of(config, source.vocabulary()));
      ArrayTransformer transformer = new ArrayTransformer(config, stored, null, null);
      return new Nd4jEngine(transformer, source.vocabulary(), options, null);
    }
  }

  private final ArrayTransformer transformer;
  private final int vocabulary;
  private final EngineOptions options;

  /** The engine whose parameters this one adapts, or null. */
  private final Nd4jEngine base;

  private Nd4jEngine(
      ArrayTransformer transformer, int vocabulary, EngineOptions options, Nd4jEngine base) {
    this.transformer = transformer;
    this.vocabulary = vocabulary;
    this.options = options;
    this.base = base;
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
    return vocabulary;
  }

  @Override
  public double logProbTolerance() {
    return TOLERANCE;
  }

  @Override
  public Generator generator(int slots) {
    return new ArrayGenerator(transformer, slots);
  }

  @Override
  public Scorer scorer(double temperature) {
    return new ArrayScorer(transformer, options, temperature);
  }

  @Override
  public Gradient gradient() {
    return new ArrayGradient(transformer.trained());
  }

  @Override
  public Optimizer optimizer(OptimizerConfig config) {
    MuonRule.requireNoAdapter(config, adapter().isPresent());
    return new ArrayOptimizer(config, transformer.trained());
  }

  @Override
  public Nd4jEngine copy() {
    Parameters copied = transformer.trained().copy();
    return base == null
        ? new Nd4jEngine(
            new ArrayTransformer(config(), copied, null, null), vocabulary, options, null)
        : base.adapted(transformer.lora(), copied);
  }

  @Override
  public Nd4jEngine adapted(Adapter adapter) {
    if (base != null) {
      throw new IllegalStateException("the model is adapted already");
    }
    adapter.lora().requireAll(config(), adapter.tensors());
    return adapted(
        adapter.lora(), Parameters.read(adapter.tensors(), adapter.lora().tensors(config())));
  }

  private Nd4jEngine adapted(LoraConfig lora, Parameters adapter) {
    return new Nd4jEngine(
        new ArrayTransformer(config(), transformer.base(), lora, adapter),
        vocabulary,
        options,
        this);
  }

  @Override
  public Optional<Adapter> adapter() {
    return base == null
        ? Optional.empty()
        : Optional.of(new Adapter(transformer.lora(), transformer.trained().source("")));
  }

  @Override
  public Optional<Engine> base() {
    return Optional.ofNullable(base);
  }

  @Override
  public WeightSource weights() {
    return base == null
        ? WeightSource.of(config(), vocabulary, transformer.base().source(""))
        : adapter().orElseThrow().merged(base.weights());
  }

  @Override
  public void close() {
    transformer.trained().close();
  }
}
