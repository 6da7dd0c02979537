package org.vstar.model.engine.vector;

import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.weights.FlatTensors;
import org.vstar.model.weights.FlatTensors.Slice;

/** {@link Muon} on a transformer's parameters; matrices are decayed as {@link AdamW} does. */
final class MuonSteps implements Optimizer {

  private static final String MEAN = "mean.";
  private static final String SQUARE = "square.";

  private final Transformer transformer;
  private final FlatTensors flat;
  private final OptimizerConfig config;
  private final Muon muon;
  private final float[] mean;
  private final float[] square;
  private int steps;

  MuonSteps(Transformer transformer, OptimizerConfig config) {
    this.transformer = transformer;
    this.flat = transformer.trainedTensors();
    this.config = config;
    this.muon = new Muon(transformer.config(), transformer.tokens(), config);
    this.mean = new float[flat.size()];
    this.square = new float[flat.size()];
  }

  @Override
  public void step(Gradient gradient, double rate) {
    steps++;
    float[] step = ((VectorGradient) gradient).values().clone();
    muon.step(step, mean, square, steps, rate);
    float[] weights = transformer.trained();
    for (Slice slice : flat.slices()) {
      float kept = slice.isMatrix() ? (float) (1 - rate * config.weightDecay()) : 1;
      for (int i = slice.offset(); i < slice.offset() + slice.size(); i++) {
        weights[i] = kept * weights[i] - step[i];
      }
    }
    transformer.weightsChanged();
  }

  @Override
  public int steps() {
    return steps;
  }

  @Override
  public TensorSource moments() {
    return TensorSource.joined(
        flat.source(mean.clone(), MEAN), flat.source(square.clone(), SQUARE));
  }

  @Override
  public void restore(int stepsTaken, TensorSource moments) {
    flat.fill(mean, moments, MEAN);
    flat.fill(square, moments, SQUARE);
    steps = stepsTaken;
  }

  @Override
  public void close() {
    // The arrays are the garbage collector's.
  }
}
