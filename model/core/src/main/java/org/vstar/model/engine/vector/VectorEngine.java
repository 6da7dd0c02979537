package org.vstar.model.engine.vector;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.ParameterLayout;

/**
 * The model on the CPU, on the JDK's vector instructions. Every product and sum has an order that
 * depends on neither the batch nor the threads, so that sampled and scored log-probabilities are
 * equal to the last bit.
 */
public final class VectorEngine implements Engine {

  /** Its name in configs. */
  public static final String KIND = EngineKind.DEFAULT;

  /** Makes {@code vector} known. */
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
    public VectorEngine open(WeightSource source, EngineOptions options) {
      ModelConfig config = source.config();
      requireFloat32OnCpu(options);
      source.requireAll();
      requireMemory(new ParameterLayout(config, source.vocabulary()));
      float[] values = FlatWeights.of(source).values();
      return new VectorEngine(new Transformer(config, source.vocabulary(), values), options, null);
    }

    @Override
    public Optional<MemoryPlan> trainingMemory(MemoryPlan.Load load, EngineOptions options) {
      return Optional.of(memory(load, options));
    }
  }

  /** Parameters are held as they are, and in panels. */
  private static final int COPIES = 2;

  /** For a derivative they are also held in panels of their transposes. */
  private static final int TRAINED_COPIES = 3;

  /** G1 gives each large array whole regions: what activations take beside their bytes. */
  private static final double FRAGMENTATION = 0.25;

  /** A buffer that has to grow takes half more than it needs. */
  private static final double GROWTH = 1.5;

  private static MemoryPlan memory(MemoryPlan.Load load, EngineOptions options) {
    ModelConfig c = load.model();
    ParameterLayout layout = new ParameterLayout(c, load.vocabulary());
    long weights = (long) Float.BYTES * layout.size();
    long trained = load.adapter() == 0 ? weights : Float.BYTES * load.adapter();
    long threads = options.threads();
    int trainers = load.trainers();
    int trainable = Math.min(trainers, load.models());
    long tokens = trainers * threads * Activations.room(load.tokens(options.microBatchTokens()));
    long kept = Float.BYTES * Activations.floatsOfToken(c) * tokens;
    long cached = Float.BYTES * load.cached() * KeyValueCache.floatsOfToken(c, layout);
    // Logits are made of the tokens that are scored: an agent writes about half of a sequence at
    // most. Where episodes are played, the reference policy's scorer has a buffer of its own.
    int scorers = load.cached() > 0 ? 2 : 1;
    long logits = (long) (GROWTH * scorers * Float.BYTES * tokens / 2 * load.vocabulary());
    return new MemoryPlan(
        "Java heap",
        Runtime.getRuntime().maxMemory(),
        List.of(
            new MemoryPlan.Part(
                "weights",
                weights * (TRAINED_COPIES * trainable + COPIES * (load.models() - trainable))),
            new MemoryPlan.Part(
                "gradients",
                trainers
                    * (OrderedSum.places(options.threads(), trained / Float.BYTES) + 1)
                    * trained),
            new MemoryPlan.Part("moments", 2 * trainers * trained),
            new MemoryPlan.Part("activations", kept),
            new MemoryPlan.Part("fragmentation", (long) (FRAGMENTATION * kept)),
            new MemoryPlan.Part("logits", logits),
            new MemoryPlan.Part("keys and values", cached)),
        "give more (--driver-memory)");
  }

  private static void requireFloat32OnCpu(EngineOptions options) {
    boolean here = !options.device().startsWith("cuda");
    if (!here || options.dtype() != DType.FLOAT32) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "engine vector computes in float32 on the CPU, asked for were %s on %s: use engine:"
                  + " libtorch",
              options.dtype().torchName(),
              options.device()));
    }
  }

  /** Before memory is taken: this engine holds the parameters twice, as float32. */
  private static void requireMemory(ParameterLayout layout) {
    long needed = COPIES * (long) Float.BYTES * layout.size();
    long most = Runtime.getRuntime().maxMemory();
    if (needed > most) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "the model's %,d parameters need %,d MB of Java heap, of which %,d MB are available:"
                  + " give more memory, or run the model with engine: libtorch",
              layout.size(),
              needed >> 20,
              most >> 20));
    }
  }

  private final Transformer transformer;
  private final EngineOptions options;

  /** The engine whose parameters this one adapts, or null. */
  private final VectorEngine base;

  private VectorEngine(Transformer transformer, EngineOptions options, VectorEngine base) {
    this.transformer = transformer;
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
    return transformer.tokens();
  }

  @Override
  public double logProbTolerance() {
    return 0;
  }

  private FlatWeights source(float[] values) {
    return new FlatWeights(config(), vocabulary(), values);
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
    return new VectorGradient(transformer.trainedTensors());
  }

  @Override
  public Optimizer optimizer(OptimizerConfig config) {
    MuonRule.requireNoAdapter(config, transformer.lowRank() != null);
    return new VectorOptimizer(transformer, config, options.threads());
  }

  @Override
  public VectorEngine copy() {
    LowRank lowRank = transformer.lowRank();
    float[] weights = transformer.weights();
    return lowRank == null
        ? new VectorEngine(new Transformer(config(), vocabulary(), weights.clone()), options, null)
        : base.over(lowRank.lora(), lowRank.layout(), lowRank.values().clone());
  }

  private VectorEngine over(LoraConfig lora, AdapterLayout layout, float[] values) {
    LowRank lowRank = new LowRank(lora, transformer.layout(), layout, values);
    return new VectorEngine(new Transformer(transformer, lowRank), options, this);
  }

  @Override
  public VectorEngine adapted(Adapter adapter) {
    if (transformer.lowRank() != null) {
      throw new IllegalStateException("the model is adapted already");
    }
    adapter.lora().requireAll(config(), adapter.tensors());
    AdapterLayout layout = new AdapterLayout(adapter.lora(), config(), transformer.layout());
    float[] values = new float[layout.flat().size()];
    layout.flat().fill(values, adapter.tensors(), "");
    return over(adapter.lora(), layout, values);
  }

  @Override
  public Optional<Adapter> adapter() {
    LowRank lowRank = transformer.lowRank();
    return lowRank == null
        ? Optional.empty()
        : Optional.of(
            new Adapter(
                lowRank.lora(), lowRank.layout().flat().source(lowRank.values().clone(), "")));
  }

  @Override
  public Optional<Engine> base() {
    return Optional.ofNullable(base);
  }

  @Override
  public WeightSource weights() {
    FlatWeights below = source(transformer.weights());
    return adapter().<WeightSource>map(adapter -> adapter.merged(below)).orElse(below);
  }

  @Override
  public void close() {
    // The arrays are the garbage collector's.
  }
}
