package org.vstar.model.engine.libtorch;

import java.util.List;
import java.util.Optional;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.NoGradGuard;
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
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;

/**
 * The model on LibTorch. What is computed with has the type of the options; what is trained is kept
 * in float32 beside it (the masters), if that is another.
 */
public final class LibTorchEngine implements Engine {

  /** Its name in configs. */
  public static final String KIND = "libtorch";

  /** Sums come out of different kernels, in different orders. */
  private static final double FLOAT32_TOLERANCE = 2e-3;

  /** 16-bit numbers have 8 to 11 bits of fraction. */
  private static final double HALF_TOLERANCE = 0.5;

  /** Makes {@code libtorch} known. */
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
    public LibTorchEngine open(WeightSource source, EngineOptions options) {
      String device = LibTorch.device(options);
      source.requireAll();
      ModelConfig config = source.config();
      List<TensorSource.Tensor> wanted = ModelTensors.of(config, source.vocabulary());
      Parameters stored = Parameters.read(source, wanted, device);
      return new LibTorchEngine(config, source.vocabulary(), options, device, stored);
    }

    /** What a GPU has of memory its driver says when it is too late. */
    @Override
    public Optional<MemoryPlan> trainingMemory(MemoryPlan.Load load, EngineOptions options) {
      return LibTorch.device(options).equals(EngineOptions.CPU)
          ? Optional.of(LibTorchMemory.plan(load, options))
          : Optional.empty();
    }
  }

  private final TorchModel model;

  /** The engine whose parameters this one adapts, or null. */
  private final LibTorchEngine base;

  private Parameters masters;

  private LibTorchEngine(
      ModelConfig config, int vocabulary, EngineOptions options, String device, Parameters stored) {
    this.masters = stored;
    this.base = null;
    Parameters computed = computed(stored, options);
    this.model = new TorchModel(config, vocabulary, options, device, computed, null, null);
  }

  private LibTorchEngine(LibTorchEngine base, LoraConfig lora, Parameters adapter) {
    TorchModel below = base.model;
    this.masters = adapter;
    this.base = base;
    this.model =
        new TorchModel(
            below.config(),
            below.vocabulary(),
            below.options(),
            below.device(),
            below.parameters(),
            lora,
            computed(adapter, below.options()));
  }

  /** The same tensors if they have the type already. */
  private static Parameters computed(Parameters stored, EngineOptions options) {
    return stored.are(options.dtype()) ? stored : stored.as(options.dtype());
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public ModelConfig config() {
    return model.config();
  }

  @Override
  public int vocabulary() {
    return model.vocabulary();
  }

  @Override
  public double logProbTolerance() {
    return model.options().dtype() == DType.FLOAT32 ? FLOAT32_TOLERANCE : HALF_TOLERANCE;
  }

  @Override
  public Generator generator(int slots) {
    return new TorchGenerator(model, slots);
  }

  @Override
  public Scorer scorer(double temperature) {
    return new TorchScorer(model, temperature);
  }

  @Override
  public Gradient gradient() {
    return new TorchGradient(model.trained());
  }

  @Override
  public Optimizer optimizer(OptimizerConfig config) {
    MuonRule.requireNoAdapter(config, adapter().isPresent());
    if (!masters.are(DType.FLOAT32)) {
      Parameters exact = masters.as(DType.FLOAT32);
      if (masters != model.trained()) {
        masters.close();
      }
      masters = exact;
    }
    int threads = model.onGpu() ? 0 : model.options().threads();
    return new TorchOptimizer(config, masters, threads, this::mastersChanged);
  }

  private void mastersChanged() {
    if (masters == model.trained()) {
      return;
    }
    for (TensorSource.Tensor shape : masters.shapes()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        model.trained().get(shape.name()).copy_(masters.get(shape.name()));
      }
    }
  }

  @Override
  public LibTorchEngine copy() {
    Parameters copied = masters.map(tensor -> tensor.clone(new MemoryFormatOptional()));
    return base == null
        ? new LibTorchEngine(
            model.config(), model.vocabulary(), model.options(), model.device(), copied)
        : new LibTorchEngine(base, model.lora(), copied);
  }

  @Override
  public LibTorchEngine adapted(Adapter adapter) {
    if (base != null) {
      throw new IllegalStateException("the model is adapted already");
    }
    adapter.lora().requireAll(model.config(), adapter.tensors());
    List<TensorSource.Tensor> wanted = adapter.lora().tensors(model.config());
    Parameters tensors = Parameters.read(adapter.tensors(), wanted, model.device());
    if (!tensors.are(DType.FLOAT32)) {
      Parameters exact = tensors.as(DType.FLOAT32);
      tensors.close();
      tensors = exact;
    }
    return new LibTorchEngine(this, adapter.lora(), tensors);
  }

  @Override
  public Optional<Adapter> adapter() {
    return base == null
        ? Optional.empty()
        : Optional.of(new Adapter(model.lora(), masters.source("")));
  }

  @Override
  public Optional<Engine> base() {
    return Optional.ofNullable(base);
  }

  @Override
  public WeightSource weights() {
    return base == null
        ? masters.weights(model.config(), model.vocabulary())
        : new Adapter(model.lora(), masters.source("")).merged(base.weights());
  }

  @Override
  public void close() {
    if (masters != model.trained()) {
      masters.close();
    }
    model.trained().close();
  }
}
