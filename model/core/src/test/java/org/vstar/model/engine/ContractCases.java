package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

/** Small models and batches that engines are tried on, and how a gradient is checked. */
public final class ContractCases {

  /** A small model. */
  public static final ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 64, 500, 1e-5, true);

  /** Widths that are no multiples of 16; heads that are normed, and wider than width / heads. */
  public static final ModelConfig QWEN3 =
      new ModelConfig(
          2, 24, 2, 1, 20, 64, 10_000, 1e-6, false, 18, true, false, false, false, null);

  /** A bias wherever there can be one, and stretched frequencies. */
  public static final ModelConfig BIASED =
      new ModelConfig(
          1,
          32,
          2,
          2,
          24,
          64,
          500,
          1e-5,
          true,
          16,
          false,
          true,
          true,
          true,
          new RopeScaling(RopeScaling.Kind.LLAMA3, 8, 1.0, 4.0, 32));

  /** Its vocabulary. */
  public static final int VOCABULARY = 21;

  /** The optimizer that is tried. */
  public static final OptimizerConfig OPTIMIZER =
      new OptimizerConfig(1e-2, 0, 1, 0.9, 0.98, 1e-8, 0.01, 1);

  private ContractCases() {}

  /** Random parameters of a shape. */
  public static WeightSource weights(ModelConfig shape) {
    float[] values = new Initialization(0.3, 0.3, false).draw(shape, VOCABULARY, 5);
    return new FlatWeights(shape, VOCABULARY, values);
  }

  /** Some sequences of different lengths. */
  public static List<Sequence> batch() {
    SplittableRandom random = new SplittableRandom(6);
    List<Sequence> batch = new ArrayList<>();
    for (int length : new int[] {9, 30, 3, 17}) {
      BitSet agent = new BitSet();
      agent.set(length / 2, length);
      batch.add(new Sequence(random.ints(length, 0, VOCABULARY).toArray(), agent, List.of()));
    }
    return batch;
  }

  /** A loss whose gradient is 1 for every token: the sum of all log-probabilities. */
  public static float[] ones(float[] logPi) {
    float[] ones = new float[logPi.length];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** Of all log-probabilities. */
  static double sum(float[][] logPi) {
    double sum = 0;
    for (float[] sequence : logPi) {
      for (float p : sequence) {
        sum += p;
      }
    }
    return sum;
  }

  /** Of the log-probabilities of {@link #batch}. */
  static double sum(Engine engine) {
    try (Scorer scorer = engine.scorer(1)) {
      return sum(scorer.logProbabilities(batch()));
    }
  }

  /** Adds the gradient of {@link #sum(Engine)}. */
  static void addGradient(Engine engine, Gradient into) {
    try (Scorer scorer = engine.scorer(1)) {
      scorer.addGradient(batch(), (i, logPi) -> ones(logPi), into);
    }
  }

  /**
   * Checks a gradient along each tensor's own direction, where the derivative is its norm.
   *
   * @param at where it was taken
   * @param sum what was differentiated, at other places
   */
  public static void requireGradient(
      TensorSource at, TensorSource gradient, ToDoubleFunction<TensorSource> sum) {
    for (Tensor tensor : gradient.tensors()) {
      float[] direction = new float[tensor.size()];
      gradient.read(tensor, direction, 0);
      double norm = 0;
      for (float g : direction) {
        norm += (double) g * g;
      }
      norm = Math.sqrt(norm);
      double step = 0.02 / norm;
      double above = sum.applyAsDouble(new Moved(at, tensor, direction, step));
      double below = sum.applyAsDouble(new Moved(at, tensor, direction, -step));
      assertThat((above - below) / (2 * step * norm))
          .as(tensor.toString())
          .isCloseTo(norm, within(0.02 * norm + 0.02));
    }
  }

  /** Tensors some way along a direction in one of them. */
  private record Moved(TensorSource from, Tensor moved, float[] direction, double by)
      implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return from.tensors();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      from.read(tensor, into, offset);
      for (int i = 0; tensor.equals(moved) && i < direction.length; i++) {
        into[offset + i] += (float) (by * direction[i]);
      }
    }
  }
}
