package org.vstar.model.engine.vector;

import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.WeightSource;

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
      requireFloat32OnCpu(options);
      ParameterLayout layout = new ParameterLayout(config, source.vocabulary());
      ModelTensors.requireAll(source);
      requireMemory(layout);
      float[] values = new float[layout.size()];
      layout.fill(values, source, "");
      return new VectorEngine(new Transformer(config, source.vocabulary(), values), options);
    }
  }

  private static void requireFloat32OnCpu(EngineOptions options) {
    boolean here = !options.device().startsWith("cuda");
    if (!here || options.dtype() != DType.FLOAT32) {
      throw new InvalidInputException(
          String.format(
              "engine vector reckons in float32 on the CPU, asked for were %s on %s: use engine:"
                  + " libtorch",
              options.dtype().torchName(), options.device()));
    }
  }

  /** Before memory is taken: this engine holds the parameters twice, as float32. */
  private static void requireMemory(ParameterLayout layout) {
    long needed = 2L * Float.BYTES * layout.size();
    long most = Runtime.getRuntime().maxMemory();
    if (needed > most) {
      throw new InvalidInputException(
          String.format(
              "the model's %,d parameters need %,d MB of Java's heap here, which may have %,d MB:"
                  + " give more memory, or run the model with engine: libtorch",
              layout.size(), needed >> 20, most >> 20));
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
    return source(transformer.weights()).fingerprint();
  }

  private VectorWeights source(float[] values) {
    return new VectorWeights(config(), vocabulary(), values);
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
    return new VectorGradient(transformer.layout());
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
    return source(transformer.weights().clone());
  }

  @Override
  public void close() {
    // The arrays are the garbage collector's.
  }
}
