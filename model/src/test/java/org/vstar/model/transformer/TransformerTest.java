package org.vstar.model.transformer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.transformer.ParameterLayout.Tensor;

class TransformerTest {

  private static final TransformerConfig TINY =
      new TransformerConfig(2, 32, 2, 1, 32, 64, 10_000, 1e-5, true);
  private static final int VOCABULARY = 21;

  private static Transformer tiny(long seed) {
    float[] weights = new Initialization(0.3, 0.3, false).draw(TINY, VOCABULARY, seed);
    SplittableRandom random = new SplittableRandom(seed + 1);
    Transformer transformer = new Transformer(TINY, VOCABULARY, weights);
    // Gains and biases away from 1 and 0, so that their gradients are tested at a general point.
    for (Tensor t : transformer.layout().tensors()) {
      for (int i = 0; !t.isMatrix() && i < t.size(); i++) {
        weights[t.offset() + i] += (float) (random.nextDouble() - 0.5) * 0.4f;
      }
    }
    return transformer;
  }

  private static Sequence sequence(int length, SplittableRandom random, boolean constrained) {
    int[] tokens = random.ints(length, 0, VOCABULARY).toArray();
    BitSet agent = new BitSet();
    List<BitSet> allowed = new ArrayList<>();
    for (int i = 1; i < length; i++) {
      if (random.nextInt(3) > 0) {
        agent.set(i);
        BitSet choice = new BitSet();
        choice.set(0, VOCABULARY, true);
        if (constrained && i % 2 == 0) {
          choice.clear((tokens[i] + 1) % VOCABULARY);
          choice.clear((tokens[i] + 2) % VOCABULARY);
        }
        allowed.add(choice);
      }
    }
    return new Sequence(tokens, agent, constrained ? allowed : List.of());
  }

  private static List<Sequence> batch(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return List.of(
        sequence(19, random, false), sequence(3, random, true), sequence(34, random, true));
  }

  @Test
  void gradientOfEveryParameterMatchesNumericDifferences() {
    Transformer transformer = tiny(1);
    Scorer scorer = new Scorer(transformer, 0.8);
    List<Sequence> batch = batch(2);
    SplittableRandom random = new SplittableRandom(3);
    float[] slopes = new float[scorer.logProbabilities(batch).length];
    for (int i = 0; i < slopes.length; i++) {
      slopes[i] = (float) (random.nextDouble() * 2 - 1);
    }
    float[] gradient = new float[transformer.weights().length];
    scorer.addGradient(slopes, gradient);

    float[] weights = transformer.weights();
    float step = 4e-3f;
    for (Tensor t : transformer.layout().tensors()) {
      double error = 0;
      double norm = 0;
      for (int i = t.offset(); i < t.offset() + t.size(); i++) {
        float kept = weights[i];
        weights[i] = kept + step;
        double above = loss(transformer, scorer, batch, slopes);
        weights[i] = kept - step;
        double below = loss(transformer, scorer, batch, slopes);
        weights[i] = kept;
        double numeric = (above - below) / (2.0 * step);
        assertThat((double) gradient[i])
            .as("%s[%d]", t.name(), i - t.offset())
            .isCloseTo(
                numeric, org.assertj.core.data.Offset.offset(0.02 + 0.02 * Math.abs(numeric)));
        error += Math.pow(numeric - gradient[i], 2);
        norm += numeric * numeric;
      }
      assertThat(norm).as("%s has a gradient", t.name()).isPositive();
      assertThat(Math.sqrt(error / norm)).as("relative error of %s", t.name()).isLessThan(5e-3);
    }
  }

  private static double loss(Transformer t, Scorer s, List<Sequence> batch, float[] slopes) {
    t.changed();
    float[] logs = s.logProbabilities(batch);
    double loss = 0;
    for (int i = 0; i < logs.length; i++) {
      loss += (double) slopes[i] * logs[i];
    }
    return loss;
  }

  @Test
  void probabilitiesOfAllTokensAddUpToOne() {
    Scorer scorer = new Scorer(tiny(4), 1);
    double sum = 0;
    for (int token = 0; token < VOCABULARY; token++) {
      BitSet agent = new BitSet();
      agent.set(3);
      sum +=
          Math.exp(
              scorer
                  .logProbabilities(
                      List.of(new Sequence(new int[] {5, 2, 9, token}, agent, List.of())))[0]);
    }
    assertThat(sum).isCloseTo(1, org.assertj.core.data.Offset.offset(1e-5));
  }

  @Test
  void cachedDecodingGivesTheSameBitsAsScoringWhateverStandsBesideIt() {
    Transformer transformer = tiny(5);
    Sequence sequence = sequence(60, new SplittableRandom(6), false);
    float[] scored = new Scorer(transformer, 1).logProbabilities(List.of(sequence));

    Decoder decoder = new Decoder(transformer, 3);
    int v = transformer.vocabulary();
    List<Float> decoded = new ArrayList<>();
    int at = 0;
    SplittableRandom random = new SplittableRandom(7);
    for (int target = sequence.agent().nextSetBit(0);
        target >= 0;
        target = sequence.agent().nextSetBit(target + 1)) {
      List<Decoder.Extension> step = new ArrayList<>();
      if (random.nextBoolean() && decoder.length(0) < 40) {
        step.add(new Decoder.Extension(0, random.ints(4, 0, VOCABULARY).toArray()));
      }
      step.add(new Decoder.Extension(2, Arrays.copyOfRange(sequence.tokens(), at, target)));
      float[] logits = decoder.extend(step);
      int row = (step.size() - 1) * v;
      decoded.add(Scorer.logProbability(logits, row, v, sequence.tokens()[target]));
      at = target;
    }
    for (int i = 0; i < scored.length; i++) {
      assertThat(decoded.get(i)).as("token %d", i).isEqualTo(scored[i]);
    }
  }

  @Test
  void scoresDoNotDependOnTheBatch() {
    Transformer transformer = tiny(8);
    List<Sequence> batch = batch(9);
    float[] together = new Scorer(transformer, 1).logProbabilities(batch);
    int at = 0;
    for (Sequence s : batch) {
      float[] alone = new Scorer(transformer, 1).logProbabilities(List.of(s));
      assertThat(alone).isEqualTo(Arrays.copyOfRange(together, at, at + alone.length));
      at += alone.length;
    }
  }
}
