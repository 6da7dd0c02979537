package org.vstar.model.engine.libtorch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.NoGradGuard;
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
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;

/**
 * The model on LibTorch. What is reckoned with has the type of the options; what is trained is kept
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
    public LibTorchEngine open(WeightSource source, EngineOptions options) {
      String device = LibTorch.device(options);
      ModelTensors.requireAll(source);
      Parameters stored =
          Parameters.read(source, ModelTensors.of(source.config(), source.vocabulary()), device);
      return new LibTorchEngine(source.config(), source.vocabulary(), options, device, stored);
    }
  }

  private final TorchModel model;
  private Parameters masters;

  private LibTorchEngine(
      ModelConfig config, int vocabulary, EngineOptions options, String device, Parameters stored) {
    boolean same = stored.are(options.dtype());
    this.masters = stored;
    this.model =
        new TorchModel(
            config, vocabulary, options, device, same ? stored : stored.as(options.dtype()));
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
  public String fingerprint() {
    return weights().fingerprint();
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
    return new TorchGradient(model.parameters());
  }

  @Override
  public Optimizer optimizer(OptimizerConfig config) {
    if (!masters.are(DType.FLOAT32)) {
      Parameters exact = masters.as(DType.FLOAT32);
      if (masters != model.parameters()) {
        masters.close();
      }
      masters = exact;
    }
    return new TorchAdamW(config, masters, this::mastersChanged);
  }

  private void mastersChanged() {
    if (masters == model.parameters()) {
      return;
    }
    for (TensorSource.Tensor shape : masters.shapes()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        model.parameters().get(shape.name()).copy_(masters.get(shape.name()));
      }
    }
  }

  @Override
  public LibTorchEngine copy() {
    Parameters copied = masters.map(tensor -> tensor.clone(new MemoryFormatOptional()));
    return new LibTorchEngine(
        model.config(), model.vocabulary(), model.options(), model.device(), copied);
  }

  @Override
  public WeightSource weights() {
    return masters.weights(model.config(), model.vocabulary());
  }

  @Override
  public void close() {
    if (masters != model.parameters()) {
      masters.close();
    }
    model.parameters().close();
  }
}
