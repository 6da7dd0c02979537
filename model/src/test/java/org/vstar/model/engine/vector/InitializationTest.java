package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.vector.FlatTensors.Slice;

class InitializationTest {

  private static final int VOCABULARY = 1000;
  private static final ModelConfig SHAPE = new ModelConfig(2, 128, 2, 2, 64, 1024, 1e8, 1e-5, true);

  private static float[] draw(ModelConfig shape) {
    return new Initialization(0.09, 0.3, true).draw(shape, VOCABULARY, 1);
  }

  /** Logit that biases alone give a key this many tokens back; rotation as in the transformer. */
  private static double logit(float[] weights, int head, int back) {
    Slice bias = new ParameterLayout(SHAPE, VOCABULARY).block(0).qkvBias();
    int half = SHAPE.headWidth() / 2;
    int query = bias.offset() + head * SHAPE.headWidth();
    int key = query + SHAPE.width();
    double sum = 0;
    for (int i = 0; i < half; i++) {
      double angle = back * Math.pow(SHAPE.ropeTheta(), -(double) i / half);
      double qx = weights[query + i];
      double qy = weights[query + i + half];
      double kx = weights[key + i];
      double ky = weights[key + i + half];
      double turnedX = qx * Math.cos(angle) - qy * Math.sin(angle);
      double turnedY = qx * Math.sin(angle) + qy * Math.cos(angle);
      sum += turnedX * kx + turnedY * ky;
    }
    return sum / Math.sqrt(SHAPE.headWidth());
  }

  @Test
  void headsOfTheFirstBlockLookAtTheTokenBeforeAndAtTheOneBeforeThat() {
    float[] weights = draw(SHAPE);
    for (int head = 0; head < SHAPE.heads(); head++) {
      double wanted = logit(weights, head, head + 1);
      for (int back = 0; back < 200; back++) {
        if (back != head + 1) {
          assertThat(logit(weights, head, back))
              .as("head %d, %d back", head, back)
              .isLessThan(wanted - 5.99);
        }
      }
    }
  }

  @Test
  void anUntrainedPolicyRepeatsWhatItHasReadOnlyWithInductionHeads() {
    assertThat(repetition(true)).isGreaterThan(0.1);
    assertThat(repetition(false)).isLessThan(0.01);
  }

  /** How probable the tokens of random sequences are when they come again. */
  private static double repetition(boolean inductionHeads) {
    int length = 60;
    float[] weights = new Initialization(0.09, 0.3, inductionHeads).draw(SHAPE, VOCABULARY, 1);
    SplittableRandom random = new SplittableRandom(2);
    List<Sequence> sequences = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      int[] tokens = new int[2 * length];
      for (int i = 0; i < length; i++) {
        tokens[i] = random.nextInt(VOCABULARY);
        tokens[length + i] = tokens[i];
      }
      BitSet again = new BitSet();
      again.set(length + 1, 2 * length);
      sequences.add(new Sequence(tokens, again, List.of()));
    }
    VectorWeights source = new VectorWeights(SHAPE, VOCABULARY, weights);
    try (Engine engine = new VectorEngine.Kind().open(source, EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      double sum = 0;
      for (float[] logPi : scorer.logProbabilities(sequences)) {
        for (float p : logPi) {
          sum += Math.exp(p);
        }
      }
      return sum / (sequences.size() * (length - 1.0));
    }
  }

  @Test
  void inductionHeadsNeedBiasesTwoLayersAndPairsThatTurnSlowly() {
    for (ModelConfig without :
        List.of(
            new ModelConfig(2, 128, 2, 2, 64, 1024, 1e8, 1e-5, false),
            new ModelConfig(1, 128, 2, 2, 64, 1024, 1e8, 1e-5, true),
            new ModelConfig(2, 128, 2, 2, 64, 1024, 100, 1e-5, true))) {
      assertThatThrownBy(() -> draw(without))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("model.qkvBias: true")
          .hasMessageContaining("model.ropeTheta");
    }
  }
}
