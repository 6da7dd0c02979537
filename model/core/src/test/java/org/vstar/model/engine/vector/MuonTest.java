package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;
import org.vstar.model.weights.ParameterLayout.Block;

class MuonTest {

  private static final ModelConfig SHAPE = new ModelConfig(2, 24, 2, 1, 72, 64, 500, 1e-5, true);
  private static final int VOCABULARY = 21;
  private static final double RATE = 1e-2;
  private static final OptimizerConfig OPTIMIZER =
      new OptimizerConfig(RATE, 0, 1, 0.9, 0.98, 1e-8, 0, 1);

  private final ParameterLayout layout = new ParameterLayout(SHAPE, VOCABULARY);
  private final Muon muon = new Muon(SHAPE, VOCABULARY, OPTIMIZER.withMuon(0.95));
  private final float[] mean = new float[layout.size()];
  private final float[] square = new float[layout.size()];

  private float[] random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    float[] gradient = new float[layout.size()];
    for (int i = 0; i < gradient.length; i++) {
      gradient[i] = (float) random.nextGaussian();
    }
    return gradient;
  }

  /** Entry i, j of the Hadamard matrix of a power of two: its rows are orthogonal. */
  private static int hadamard(int i, int j) {
    return Integer.bitCount(i & j) % 2 == 0 ? 1 : -1;
  }

  @Test
  void singularValuesComeNearOneAndSingularVectorsStay() {
    int rows = 16;
    int columns = 64;
    float[] x = new float[rows * columns];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        for (int k = 0; k < rows; k++) {
          // Singular values 1 to 1/50, along Hadamard vectors of length 1.
          double value = 1 / (1 + k * 49.0 / (rows - 1));
          x[i * columns + j] += (float) (value * hadamard(i, k) * hadamard(j, k) / 4 / 8);
        }
      }
    }
    new Orthogonalization().orthogonalize(x, rows, columns);
    for (int k = 0; k < rows; k++) {
      for (int l = 0; l < columns; l++) {
        double product = 0;
        for (int i = 0; i < rows; i++) {
          for (int j = 0; j < columns; j++) {
            product += hadamard(i, k) * x[i * columns + j] * hadamard(j, l) / 4.0 / 8.0;
          }
        }
        if (k == l) {
          assertThat(product).isBetween(0.68, 1.14);
        } else {
          assertThat(product).isCloseTo(0, within(1e-5));
        }
      }
    }
  }

  @Test
  void aMatrixOfZerosStaysZero() {
    float[] x = new float[16 * 32];
    new Orthogonalization().orthogonalize(x, 16, 32);
    assertThat(x).containsOnly(0f);
  }

  @Test
  void theFirstStepOfVectorsAndEmbeddingIsAdams() {
    float[] step = random(1);
    float[] gradient = step.clone();
    muon.step(step, mean, square, 1, RATE);
    Block block = layout.block(1);
    for (Slice s : new Slice[] {layout.embedding(), layout.finalNorm(), block.attentionNorm()}) {
      for (int i = s.offset(); i < s.offset() + s.size(); i++) {
        assertThat(step[i]).isCloseTo((float) (Math.signum(gradient[i]) * RATE), within(1e-6f));
      }
    }
  }

  /** The only singular value of u·vᵀ becomes about 1: the step is along u·vᵀ, as it lies. */
  @Test
  void aStepIsAlongTheGradientsSingularVectorsAndOfAdamsSize() {
    for (Projection p : Projection.values()) {
      Slice slice = layout.matrix(p, 1);
      int inputs = p.inputs(SHAPE);
      int outputs = p.outputs(SHAPE);
      float[] step = new float[layout.size()];
      float[][] expected = new float[inputs][outputs];
      double size = RATE * 0.2 * Math.sqrt(Math.max(inputs, outputs));
      for (int i = 0; i < inputs; i++) {
        for (int j = 0; j < outputs; j++) {
          double u = Math.cos(i + 1) / norm(inputs);
          double v = Math.cos(j + 1) / norm(outputs);
          expected[i][j] = (float) (size * u * v);
          step[at(p, slice, i, j)] = (float) (u * v);
        }
      }
      muon.step(step, new float[step.length], new float[step.length], 1, RATE);
      double along = 0;
      for (int i = 0; i < inputs; i++) {
        for (int j = 0; j < outputs; j++) {
          along += step[at(p, slice, i, j)] * expected[i][j] / size / size;
        }
      }
      assertThat(along).as(p.name()).isBetween(0.68, 1.14);
      for (int i = 0; i < inputs; i++) {
        for (int j = 0; j < outputs; j++) {
          assertThat(step[at(p, slice, i, j)])
              .isCloseTo((float) (along * expected[i][j]), within(1e-6f));
        }
      }
    }
  }

  /** The length of the vector of cos(i + 1). */
  private static double norm(int length) {
    double squares = 0;
    for (int i = 0; i < length; i++) {
      squares += Math.cos(i + 1) * Math.cos(i + 1);
    }
    return Math.sqrt(squares);
  }

  /** Heads of 12 are padded to 16. */
  private int at(Projection p, Slice slice, int input, int output) {
    return slice.offset()
        + layout.column(p)
        + layout.inputAxis(p, slice.columns()).at(input)
        + layout.outputAxis(p).at(output);
  }

  @Test
  void projectionsThatShareAMatrixAreSteppedEachForItself() {
    float[] both = random(2);
    float[] onlyValues = both.clone();
    Slice qkv = layout.block(0).qkv();
    int values = layout.queryWidth() + layout.kvWidth();
    for (int row = 0; row < qkv.rows(); row++) {
      int at = qkv.offset() + row * qkv.columns();
      Arrays.fill(onlyValues, at, at + values, 0);
    }
    muon.step(both, mean, square, 1, RATE);
    new Muon(SHAPE, VOCABULARY, OPTIMIZER.withMuon(0.95))
        .step(onlyValues, new float[mean.length], new float[mean.length], 1, RATE);
    for (int row = 0; row < qkv.rows(); row++) {
      int at = qkv.offset() + row * qkv.columns();
      assertThat(Arrays.copyOfRange(onlyValues, at + values, at + qkv.columns()))
          .isEqualTo(Arrays.copyOfRange(both, at + values, at + qkv.columns()));
      assertThat(Arrays.copyOfRange(onlyValues, at, at + values)).containsOnly(0f);
    }
  }

  @Test
  void theDirectionIsNesterovsMomentum() {
    float[] first = random(3);
    float[] second = random(4);
    float[] expected = new float[first.length];
    for (int i = 0; i < expected.length; i++) {
      double once = 0.05 * first[i];
      double twice = 0.95 * once + 0.05 * second[i];
      expected[i] = (float) (0.95 * twice + 0.05 * second[i]);
    }
    muon.step(first, mean, square, 1, RATE);
    muon.step(second, mean, square, 2, RATE);
    // Orthogonalizing takes no account of a factor: the first step's direction is its gradient's.
    muon.step(expected, new float[expected.length], new float[expected.length], 1, RATE);
    Slice down = layout.block(0).down();
    for (int i = down.offset(); i < down.offset() + down.size(); i++) {
      assertThat(second[i]).isCloseTo(expected[i], within(2e-5f));
    }
  }
}
