package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * The formulas of {@link MuonRule} and of AdamW in double precision, written down as they stand.
 */
final class MuonFormulas {

  private final OptimizerConfig config;
  private final Map<Tensor, double[]> weights = new LinkedHashMap<>();
  private final Map<Tensor, double[]> mean = new HashMap<>();
  private final Map<Tensor, double[]> square = new HashMap<>();
  private int steps;

  MuonFormulas(OptimizerConfig config, WeightSource start) {
    this.config = config;
    for (Tensor tensor : ModelTensors.of(start.config(), start.vocabulary())) {
      weights.put(tensor, read(start, tensor));
      mean.put(tensor, new double[tensor.size()]);
      square.put(tensor, new double[tensor.size()]);
    }
  }

  private static double[] read(TensorSource source, Tensor tensor) {
    float[] values = new float[tensor.size()];
    source.read(tensor, values, 0);
    double[] doubles = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      doubles[i] = values[i];
    }
    return doubles;
  }

  void step(TensorSource gradient, double rate) {
    steps++;
    for (Tensor tensor : weights.keySet()) {
      double[] step =
          tensor.isMatrix() && tensor.name().startsWith("model.layers.")
              ? muon(tensor, read(gradient, tensor))
              : adam(tensor, read(gradient, tensor));
      double decay = tensor.isMatrix() ? rate * config.weightDecay() : 0;
      double[] w = weights.get(tensor);
      for (int i = 0; i < w.length; i++) {
        w[i] = (1 - decay) * w[i] - rate * step[i];
      }
    }
  }

  private double[] adam(Tensor tensor, double[] g) {
    double beta1 = config.adamBeta1();
    double beta2 = config.adamBeta2();
    double[] m = mean.get(tensor);
    double[] v = square.get(tensor);
    double[] step = new double[g.length];
    for (int i = 0; i < g.length; i++) {
      m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
      double corrected = m[i] / (1 - Math.pow(beta1, steps));
      step[i] = corrected / (Math.sqrt(v[i] / (1 - Math.pow(beta2, steps))) + config.epsilon());
    }
    return step;
  }

  private double[] muon(Tensor tensor, double[] g) {
    int rows = tensor.rows();
    int columns = tensor.columns();
    double momentum = config.momentum();
    double[] m = mean.get(tensor);
    double[][] x = new double[rows][columns];
    double norm = 0;
    for (int i = 0; i < g.length; i++) {
      m[i] = momentum * m[i] + (1 - momentum) * g[i];
      double nesterov = momentum * m[i] + (1 - momentum) * g[i];
      x[i / columns][i % columns] = nesterov;
      norm += nesterov * nesterov;
    }
    for (double[] row : x) {
      for (int j = 0; j < columns; j++) {
        row[j] /= Math.sqrt(norm) + 1e-7;
      }
    }
    x = rows > columns ? turned(newtonSchulz(turned(x))) : newtonSchulz(x);
    double[] step = new double[g.length];
    for (int i = 0; i < g.length; i++) {
      step[i] = 0.2 * Math.sqrt(Math.max(rows, columns)) * x[i / columns][i % columns];
    }
    return step;
  }

  private static double[][] newtonSchulz(double[][] start) {
    double[][] x = start;
    for (int step = 0; step < 5; step++) {
      double[][] gram = product(x, turned(x));
      double[][] first = product(gram, x);
      double[][] second = product(gram, first);
      double[][] next = new double[x.length][x[0].length];
      for (int i = 0; i < x.length; i++) {
        for (int j = 0; j < x[0].length; j++) {
          next[i][j] = 3.4445 * x[i][j] - 4.7750 * first[i][j] + 2.0315 * second[i][j];
        }
      }
      x = next;
    }
    return x;
  }

  private static double[][] product(double[][] a, double[][] b) {
    double[][] c = new double[a.length][b[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int k = 0; k < b.length; k++) {
        for (int j = 0; j < b[0].length; j++) {
          c[i][j] += a[i][k] * b[k][j];
        }
      }
    }
    return c;
  }

  private static double[][] turned(double[][] a) {
    double[][] turned = new double[a[0].length][a.length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a[0].length; j++) {
        turned[j][i] = a[i][j];
      }
    }
    return turned;
  }

  /** Each number is as near as float32 allows: steps are about 1e-2. */
  void requireNear(WeightSource found) {
    weights.forEach(
        (tensor, expected) -> {
          double[] actual = read(found, tensor);
          for (int i = 0; i < expected.length; i++) {
            assertThat(actual[i])
                .as("%s at %d", tensor.name(), i)
                .isCloseTo(expected[i], within(2e-5));
          }
        });
  }
}
