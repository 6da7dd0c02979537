package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.List;
import org.vstar.common.Parallel;
import org.vstar.model.engine.AdamWRule;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.weights.FlatTensors;
import org.vstar.model.weights.FlatTensors.Slice;

/**
 * {@link AdamWRule} on what is trained of a transformer, and {@link MuonRule} for the matrices of
 * the blocks where the config has a momentum; biases and gains are not decayed.
 */
final class VectorOptimizer implements Optimizer {

  private final Transformer transformer;
  private final FlatTensors flat;
  private final OptimizerConfig config;

  /** Running means of the gradient and of its square. */
  private final float[] mean;

  private final float[] square;
  private final int threads;

  /** Null where AdamW steps all. */
  private final Muon muon;

  private int steps;

  VectorOptimizer(Transformer transformer, OptimizerConfig config, int threads) {
    this.threads = threads;
    this.transformer = transformer;
    this.flat = transformer.trainedTensors();
    this.config = config;
    this.mean = new float[flat.size()];
    this.square = new float[flat.size()];
    this.muon =
        !config.muon() ? null : new Muon(transformer.config(), transformer.tokens(), config);
  }

  @Override
  public void step(Gradient gradient, double rate) {
    steps++;
    float[] values = ((VectorGradient) gradient).values();
    if (muon == null) {
      adamStep(values, rate);
    } else {
      muonStep(values, rate);
    }
    transformer.weightsChanged();
  }

  private void adamStep(float[] values, double rate) {
    AdamWRule rule = AdamWRule.of(config, steps, rate);
    List<Runnable> parts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int from = (int) ((long) flat.size() * i / threads);
      int to = (int) ((long) flat.size() * (i + 1) / threads);
      parts.add(() -> step(values, from, to, rule));
    }
    Parallel.run(threads, parts);
  }

  private void muonStep(float[] values, double rate) {
    float[] step = values.clone();
    muon.step(step, mean, square, steps, rate);
    float[] weights = transformer.trained();
    for (Slice slice : flat.slices()) {
      float kept = slice.isMatrix() ? (float) (1 - rate * config.weightDecay()) : 1;
      for (int i = slice.offset(); i < slice.offset() + slice.size(); i++) {
        weights[i] = kept * weights[i] - step[i];
      }
    }
  }

  /** Steps the parameters of a range. */
  private void step(float[] gradient, int from, int to, AdamWRule rule) {
    for (Slice t : flat.slices()) {
      int begin = Math.max(from, t.offset());
      int end = Math.min(to, t.offset() + t.size());
      double decay = t.isMatrix() ? rule.kept() : 1;
      if (begin < end) {
        Kernels.adamw(
            transformer.trained(),
            gradient,
            mean,
            square,
            begin,
            end - begin,
            (float) config.adamBeta1(),
            (float) config.adamBeta2(),
            (float) rule.stepSize(),
            (float) rule.epsilon(),
            (float) decay);
      }
    }
  }

  @Override
  public int steps() {
    return steps;
  }

  @Override
  public TensorSource moments() {
    return TensorSource.joined(
        flat.source(mean, AdamWRule.MEAN), flat.source(square, AdamWRule.SQUARE));
  }

  @Override
  public void restore(int stepsTaken, TensorSource moments) {
    flat.fill(mean, moments, AdamWRule.MEAN);
    flat.fill(square, moments, AdamWRule.SQUARE);
    steps = stepsTaken;
  }

  @Override
  public void close() {
    // The arrays are the garbage collector's.
  }
}
