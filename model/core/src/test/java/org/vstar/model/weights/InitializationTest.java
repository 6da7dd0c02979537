package org.vstar.model.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.weights.FlatTensors.Slice;

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
    SplittableRandom random = new SplittableRandom(2);
    List<int[]> twice = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      int[] once = random.ints(60, 0, VOCABULARY).toArray();
      twice.add(IntStream.concat(IntStream.of(once), IntStream.of(once)).toArray());
    }
    assertThat(probability(true, twice, 61)).isGreaterThan(0.7);
    assertThat(probability(false, twice, 61)).isLessThan(0.01);
    for (ModelConfig shape :
        List.of(
            new ModelConfig(3, 128, 4, 2, 64, 1024, 1e8, 1e-5, true),
            new ModelConfig(2, 120, 2, 2, 64, 1024, 1e8, 1e-5, true),
            new ModelConfig(2, 192, 3, 3, 64, 1024, 1e8, 1e-5, true),
            new ModelConfig(2, 128, 1, 1, 64, 1024, 1e8, 1e-5, true))) {
      assertThat(probability(shape, true, twice, 61)).as("%s", shape).isGreaterThan(0.5);
    }
  }

  @Test
  void anUntrainedPolicyGoesOnAsAfterTheNearestOfTheSameWords() {
    List<int[]> cases = new ArrayList<>();
    for (int n = 0; n < 20; n++) {
      int[] t = distinct(n, 300);
      t[10] = t[240] = t[299];
      int[] near = Arrays.copyOf(t, 301);
      near[300] = t[241];
      cases.add(near);
    }
    assertThat(probability(true, cases, 300)).isGreaterThan(0.7);
  }

  @Test
  void anUntrainedPolicyGoesOnAsWhereTwoWordsAreTheSameRatherThanOne() {
    List<int[]> cases = new ArrayList<>();
    for (int n = 0; n < 20; n++) {
      int[] t = distinct(n, 100);
      t[9] = t[98];
      t[10] = t[60] = t[99];
      int[] both = Arrays.copyOf(t, 101);
      both[100] = t[11];
      cases.add(both);
    }
    assertThat(probability(true, cases, 100)).isGreaterThan(0.7);
  }

  private static int[] distinct(int seed, int length) {
    return new SplittableRandom(seed).ints(0, VOCABULARY).distinct().limit(length).toArray();
  }

  /** How probable tokens are, from a position on, to an untrained policy; the mean. */
  private static double probability(boolean inductionHeads, List<int[]> texts, int from) {
    return probability(SHAPE, inductionHeads, texts, from);
  }

  private static double probability(
      ModelConfig shape, boolean inductionHeads, List<int[]> texts, int from) {
    float[] weights = new Initialization(0.09, 0.3, inductionHeads).draw(shape, VOCABULARY, 1);
    List<Sequence> sequences = new ArrayList<>();
    for (int[] tokens : texts) {
      BitSet scored = new BitSet();
      scored.set(from, tokens.length);
      sequences.add(new Sequence(tokens, scored, List.of()));
    }
    FlatWeights source = new FlatWeights(shape, VOCABULARY, weights);
    try (Engine engine = EngineKind.of(EngineKind.DEFAULT).open(source, EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      double sum = 0;
      int n = 0;
      for (float[] logPi : scorer.logProbabilities(sequences)) {
        for (float p : logPi) {
          sum += Math.exp(p);
          n++;
        }
      }
      return sum / n;
    }
  }

  @Test
  void numbersStartTheMoreAlikeTheNearerTheyAreAndOtherTokensAsBefore() {
    int[] numbers = new int[VOCABULARY];
    Arrays.setAll(numbers, token -> token < 400 ? token : -1);
    float[] ordered = new Initialization(0.09, 0.3, false, true).draw(SHAPE, numbers, 1);
    float[] plain = new Initialization(0.09, 0.3, false).draw(SHAPE, numbers, 1);
    int width = SHAPE.width();
    assertThat(Arrays.copyOfRange(ordered, 400 * width, ordered.length))
        .isEqualTo(Arrays.copyOfRange(plain, 400 * width, plain.length));
    double close = alike(ordered, 100, 105);
    assertThat(close).isBetween(0.35, 0.6);
    assertThat(alike(ordered, 20, 21)).isCloseTo(close, within(0.1));
    assertThat(alike(ordered, 100, 300)).isLessThan(0.3);
    assertThat(alike(plain, 100, 105)).isLessThan(0.2);
  }

  /** Mean cosine of the embeddings of numbers in two ranges of 10 from these on, one by one. */
  private static double alike(float[] weights, int a, int b) {
    int width = SHAPE.width();
    double sum = 0;
    for (int n = 0; n < 10; n++) {
      double dot = 0;
      double sizeA = 0;
      double sizeB = 0;
      for (int i = 0; i < width; i++) {
        double x = weights[(a + n) * width + i];
        double y = weights[(b + n) * width + i];
        dot += x * y;
        sizeA += x * x;
        sizeB += y * y;
      }
      sum += dot / Math.sqrt(sizeA * sizeB);
    }
    return sum / 10;
  }

  @Test
  void inductionHeadsNeedBiasesTwoLayersAndPairsThatTurnSlowly() {
    for (ModelConfig without :
        List.of(
            new ModelConfig(2, 128, 2, 2, 64, 1024, 1e8, 1e-5, false),
            new ModelConfig(1, 128, 2, 2, 64, 1024, 1e8, 1e-5, true),
            new ModelConfig(2, 128, 2, 2, 64, 1024, 100, 1e-5, true),
            new ModelConfig(
                2, 128, 2, 2, 64, 1024, 1e8, 1e-5, true, null, false, false, false, false, null))) {
      assertThatThrownBy(() -> draw(without))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("model.qkvBias: true")
          .hasMessageContaining("model.ropeTheta");
    }
  }
}
