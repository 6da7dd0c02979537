package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.vstar.common.Parallel;
import org.vstar.model.engine.AdamWRule;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.TensorSource;

/**
 * AdamW (arXiv 1711.05101), operation by operation as LibTorch's own, which {@link AdamWRule} is
 * not to the last bit, and which does not let its moments be read; and {@link MuonRule} for the
 * matrices of the blocks, where the config has a momentum. Norm gains and biases are not decayed.
 */
final class TorchOptimizer implements Optimizer {

  /** Numbers that a processor's cache holds, with their gradients and moments. */
  private static final int PART = 1 << 16;

  private final OptimizerConfig config;
  private final Parameters masters;
  private final int threads;
  private final Runnable changed;
  private final Parameters mean;
  private final Parameters square;
  private int steps;

  /**
   * Makes an optimizer.
   *
   * @param masters what is trained, in float32
   * @param threads that share the work, or 0 on a GPU
   * @param changed is called after each step
   */
  TorchOptimizer(OptimizerConfig config, Parameters masters, int threads, Runnable changed) {
    this.config = config;
    this.masters = masters;
    this.threads = threads;
    this.changed = changed;
    this.mean = masters.zeros();
    this.square = masters.zeros();
  }

  @Override
  public void step(Gradient gradient, double rate) {
    steps++;
    Parameters gradients = ((TorchGradient) gradient).values();
    List<Runnable> parts = new ArrayList<>();
    for (TensorSource.Tensor shape : masters.shapes()) {
      if (config.muon() && MuonRule.steps(shape)) {
        parts.add(() -> muonStep(shape, gradients, rate));
        continue;
      }
      int rows = Math.max(1, PART / shape.columns());
      int step = threads == 0 || !shape.isMatrix() ? shape.rows() : rows;
      for (int from = 0; from < shape.rows(); from += step) {
        int at = from;
        int count = Math.min(step, shape.rows() - from);
        parts.add(() -> step(shape, at, count, gradients, rate));
      }
    }
    Parallel.run(Math.max(1, threads), parts);
    changed.run();
  }

  /** Some rows of a tensor. */
  private void step(
      TensorSource.Tensor shape, int from, int count, Parameters gradients, double rate) {
    LibTorch.useOneThread();
    double rootOfCorrection = Math.sqrt(1 - Math.pow(config.adamBeta2(), steps));
    double stepSize = rate / (1 - Math.pow(config.adamBeta1(), steps));
    double beta1 = config.adamBeta1();
    double beta2 = config.adamBeta2();
    try (PointerScope scope = new PointerScope();
        NoGradGuard none = new NoGradGuard()) {
      Tensor w = part(masters, shape, from, count);
      Tensor g = part(gradients, shape, from, count);
      Tensor m = part(mean, shape, from, count);
      Tensor v = part(square, shape, from, count);
      if (shape.isMatrix()) {
        w.mul_(LibTorch.scalar(1 - rate * config.weightDecay()));
      }
      m.mul_(LibTorch.scalar(beta1)).add_(g, LibTorch.scalar(1 - beta1));
      v.mul_(LibTorch.scalar(beta2)).addcmul_(g, g, LibTorch.scalar(1 - beta2));
      Tensor root =
          v.sqrt().div_(LibTorch.scalar(rootOfCorrection)).add_(LibTorch.scalar(config.epsilon()));
      w.addcdiv_(m, root, LibTorch.scalar(-stepSize));
    }
  }

  private void muonStep(TensorSource.Tensor shape, Parameters gradients, double rate) {
    LibTorch.useOneThread();
    Scalar momentum = LibTorch.scalar(config.momentum());
    Scalar own = LibTorch.scalar(1 - config.momentum());
    try (PointerScope scope = new PointerScope();
        NoGradGuard none = new NoGradGuard()) {
      Tensor w = masters.get(shape.name());
      Tensor g = gradients.get(shape.name());
      Tensor m = mean.get(shape.name());
      m.mul_(momentum).add_(g, own);
      Tensor x = m.mul(momentum).add_(g, own);
      boolean tall = shape.rows() > shape.columns();
      Tensor orthogonal = orthogonalized(tall ? x.t() : x);
      double size = rate * MuonRule.size(shape.rows(), shape.columns());
      w.mul_(LibTorch.scalar(1 - rate * config.weightDecay()));
      w.add_(tall ? orthogonal.t() : orthogonal, LibTorch.scalar(-size));
    }
  }

  private static Tensor orthogonalized(Tensor matrix) {
    Tensor x = matrix.div(matrix.norm().add_(LibTorch.scalar(MuonRule.TINY)));
    for (int step = 0; step < MuonRule.STEPS; step++) {
      Tensor gram = x.mm(x.t());
      Tensor polynomial =
          gram.mm(gram).mul_(LibTorch.scalar(MuonRule.C)).add_(gram, LibTorch.scalar(MuonRule.B));
      x = x.mul(LibTorch.scalar(MuonRule.A)).add_(polynomial.mm(x));
    }
    return x;
  }

  private static Tensor part(Parameters of, TensorSource.Tensor shape, int from, int count) {
    Tensor whole = of.get(shape.name());
    return shape.isMatrix() ? whole.narrow(0, from, count) : whole;
  }

  @Override
  public int steps() {
    return steps;
  }

  @Override
  public TensorSource moments() {
    return TensorSource.joined(mean.source(AdamWRule.MEAN), square.source(AdamWRule.SQUARE));
  }

  @Override
  public void restore(int stepsTaken, TensorSource moments) {
    mean.load(moments, AdamWRule.MEAN);
    square.load(moments, AdamWRule.SQUARE);
    steps = stepsTaken;
  }

  @Override
  public void close() {
    mean.close();
    square.close();
  }
}
