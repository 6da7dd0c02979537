package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;

class VectorOptimizerTest {

  /** Loshchilov and Hutter's algorithm 2, written plainly in double precision. */
  @Test
  void followsThePublishedAlgorithmAndDecaysMatricesOnly() {
    ModelConfig shape = new ModelConfig(1, 16, 1, 1, 16, 8, 500, 1e-5, true);
    ParameterLayout layout = new ParameterLayout(shape, 16);
    SplittableRandom random = new SplittableRandom(6);
    float[] weights = new float[layout.size()];
    double[] expected = new double[layout.size()];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) random.nextDouble(-1, 1);
      expected[i] = weights[i];
    }
    VectorOptimizer adam =
        new VectorOptimizer(
            new Transformer(shape, 16, weights),
            new OptimizerConfig(1, 0, 1, 0.9, 0.98, 1e-8, 0.1, 1),
            3);
    double[] m = new double[weights.length];
    double[] v = new double[weights.length];
    for (int t = 1; t <= 5; t++) {
      double rate = 0.01 * t;
      VectorGradient given = new VectorGradient(layout.flat());
      float[] gradient = given.values();
      for (int i = 0; i < gradient.length; i++) {
        gradient[i] = (float) random.nextDouble(-1, 1);
      }
      for (Slice tensor : layout.flat().slices()) {
        for (int i = tensor.offset(); i < tensor.offset() + tensor.size(); i++) {
          m[i] = 0.9 * m[i] + 0.1 * gradient[i];
          v[i] = 0.98 * v[i] + 0.02 * gradient[i] * gradient[i];
          double mHat = m[i] / (1 - Math.pow(0.9, t));
          double vHat = v[i] / (1 - Math.pow(0.98, t));
          double decay = tensor.isMatrix() ? 0.1 * expected[i] : 0;
          expected[i] -= rate * (mHat / (Math.sqrt(vHat) + 1e-8) + decay);
        }
      }
      adam.step(given, rate);
    }
    for (int i = 0; i < weights.length; i++) {
      assertThat((double) weights[i]).isCloseTo(expected[i], within(1e-5));
    }
  }
}
