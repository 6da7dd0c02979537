package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vstar.model.engine.ContractCases;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.kernels.Sampler;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;
import org.vstar.model.weights.ParameterLayout;

class TransformerTest {

  private static final ModelConfig TINY = new ModelConfig(2, 32, 2, 1, 32, 64, 10_000, 1e-5, true);
  private static final int VOCABULARY = 21;

  private static Transformer tiny(long seed) {
    return transformer(TINY, seed);
  }

  /** Gains and biases away from 1 and 0, so that their gradients are tested at a general point. */
  private static Transformer transformer(ModelConfig shape, long seed) {
    float[] drawn = new Initialization(0.3, 0.3, false).draw(shape, VOCABULARY, seed);
    FlatWeights weights = new FlatWeights(shape, VOCABULARY, drawn);
    SplittableRandom random = new SplittableRandom(seed + 1);
    TensorSource moved =
        new TensorSource() {
          @Override
          public List<Tensor> tensors() {
            return weights.tensors();
          }

          @Override
          public void read(Tensor tensor, float[] into, int offset) {
            weights.read(tensor, into, offset);
            for (int i = offset; !tensor.isMatrix() && i < offset + tensor.size(); i++) {
              into[i] += (float) (random.nextDouble() - 0.5) * 0.4f;
            }
          }
        };
    float[] values = new float[drawn.length];
    new ParameterLayout(shape, VOCABULARY).flat().fill(values, moved, "");
    return new Transformer(shape, VOCABULARY, values);
  }

  static List<ModelConfig> shapes() {
    return List.of(TINY, ContractCases.QWEN3, ContractCases.BIASED);
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

  @ParameterizedTest
  @MethodSource("shapes")
  void gradientOfEveryParameterMatchesNumericDifferences(ModelConfig shape) {
    Transformer transformer = transformer(shape, 1);
    MicroBatchScorer scorer = new MicroBatchScorer(transformer, 0.8);
    List<Sequence> batch = batch(2);
    SplittableRandom random = new SplittableRandom(3);
    float[] logProbGradient = new float[scorer.logProbabilities(batch).length];
    for (int i = 0; i < logProbGradient.length; i++) {
      logProbGradient[i] = (float) (random.nextDouble() * 2 - 1);
    }
    float[] gradient = new float[transformer.weights().length];
    scorer.addGradient(logProbGradient, gradient);

    float[] weights = transformer.weights();
    float step = 4e-3f;
    for (Slice t : transformer.layout().flat().slices()) {
      double error = 0;
      double norm = 0;
      for (int i = t.offset(); i < t.offset() + t.size(); i++) {
        float kept = weights[i];
        weights[i] = kept + step;
        double above = loss(transformer, scorer, batch, logProbGradient);
        weights[i] = kept - step;
        double below = loss(transformer, scorer, batch, logProbGradient);
        weights[i] = kept;
        double numeric = (above - below) / (2.0 * step);
        assertThat((double) gradient[i])
            .as("%s[%d]", t, i - t.offset())
            .isCloseTo(
                numeric, org.assertj.core.data.Offset.offset(0.02 + 0.02 * Math.abs(numeric)));
        error += Math.pow(numeric - gradient[i], 2);
        norm += numeric * numeric;
      }
      assertThat(norm).as("%s has a gradient", t).isPositive();
      assertThat(Math.sqrt(error / norm)).as("relative error of %s", t).isLessThan(5e-3);
    }
  }

  private static double loss(
      Transformer t, MicroBatchScorer s, List<Sequence> batch, float[] logProbGradient) {
    t.weightsChanged();
    float[] logs = s.logProbabilities(batch);
    double loss = 0;
    for (int i = 0; i < logs.length; i++) {
      loss += (double) logProbGradient[i] * logs[i];
    }
    return loss;
  }

  @Test
  void probabilitiesOfAllTokensAddUpToOne() {
    MicroBatchScorer scorer = new MicroBatchScorer(tiny(4), 1);
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

  @ParameterizedTest
  @MethodSource("shapes")
  void cachedDecodingGivesTheSameBitsAsScoringWhateverStandsBesideIt(ModelConfig shape) {
    Transformer transformer = transformer(shape, 5);
    Sequence sequence = sequence(60, new SplittableRandom(6), false);
    float[] scored = new MicroBatchScorer(transformer, 1).logProbabilities(List.of(sequence));

    Decoder decoder = new Decoder(transformer, 3);
    int v = transformer.vocabulary();
    List<Float> decoded = new ArrayList<>();
    int at = 0;
    SplittableRandom random = new SplittableRandom(7);
    for (int target = sequence.agent().nextSetBit(0);
        target >= 0;
        target = sequence.agent().nextSetBit(target + 1)) {
      List<Extension> step = new ArrayList<>();
      if (random.nextBoolean() && decoder.length(0) < 40) {
        step.add(new Extension(0, random.ints(4, 0, VOCABULARY).toArray()));
      }
      step.add(new Extension(2, Arrays.copyOfRange(sequence.tokens(), at, target)));
      float[] logits = decoder.extend(step);
      int row = (step.size() - 1) * v;
      decoded.add(Sampler.logProbability(logits, row, v, sequence.tokens()[target]));
      at = target;
    }
    for (int i = 0; i < scored.length; i++) {
      assertThat(decoded.get(i)).as("token %d", i).isEqualTo(scored[i]);
    }
  }

  @Test
  void aContextFarLongerThanAnyEpisodeTakesNoMemoryAndChangesNothing() {
    ModelConfig wide = new ModelConfig(2, 32, 2, 1, 32, 1 << 24, 10_000, 1e-5, true);
    float[] weights = new Initialization(0.3, 0.3, false).draw(wide, VOCABULARY, 5);
    List<Sequence> batch = batch(9);
    assertThat(
            new MicroBatchScorer(new Transformer(wide, VOCABULARY, weights), 1)
                .logProbabilities(batch))
        .isEqualTo(
            new MicroBatchScorer(new Transformer(TINY, VOCABULARY, weights), 1)
                .logProbabilities(batch));
  }

  @Test
  void whoKeepsNoActivationsScoresTheSameAndGivesNoGradient() {
    Transformer transformer = tiny(8);
    List<Sequence> batch = batch(9);
    MicroBatchScorer scoring = new MicroBatchScorer(transformer, 1, false);
    float[] scores = scoring.logProbabilities(batch);
    assertThat(scores).isEqualTo(new MicroBatchScorer(transformer, 1).logProbabilities(batch));
    float[] gradient = new float[transformer.weights().length];
    assertThatThrownBy(() -> scoring.addGradient(scores, gradient))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void scoresDoNotDependOnTheBatch() {
    Transformer transformer = tiny(8);
    List<Sequence> batch = batch(9);
    float[] together = new MicroBatchScorer(transformer, 1).logProbabilities(batch);
    int at = 0;
    for (Sequence s : batch) {
      float[] alone = new MicroBatchScorer(transformer, 1).logProbabilities(List.of(s));
      assertThat(alone).isEqualTo(Arrays.copyOfRange(together, at, at + alone.length));
      at += alone.length;
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void whatIsNotScoredChangesNeitherTheOthersScoresNorTheirGradient(ModelConfig shape) {
    Transformer transformer = transformer(shape, 8);
    SplittableRandom random = new SplittableRandom(4);
    List<Sequence> dense = new ArrayList<>();
    List<Sequence> sparse = new ArrayList<>();
    List<Boolean> kept = new ArrayList<>();
    for (int length : new int[] {9, 40, 5, 33}) {
      int[] tokens = random.ints(length, 0, VOCABULARY).toArray();
      BitSet all = new BitSet();
      all.set(1, length);
      // Nothing of the third sequence, runs of the others.
      BitSet some = new BitSet();
      for (int i = 1; i < length && length != 5; i++) {
        some.set(i, i / 6 % 2 == 0);
      }
      dense.add(new Sequence(tokens, all, List.of()));
      sparse.add(new Sequence(tokens, some, List.of()));
      all.stream().forEach(i -> kept.add(some.get(i)));
    }
    MicroBatchScorer ofAll = new MicroBatchScorer(transformer, 1);
    float[] scores = ofAll.logProbabilities(dense);
    float[] loss = new float[scores.length];
    List<Float> keptScores = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      if (kept.get(i)) {
        loss[i] = scores[i];
        keptScores.add(scores[i]);
      }
    }
    float[] expected = new float[transformer.weights().length];
    ofAll.addGradient(loss, expected);
    MicroBatchScorer ofSome = new MicroBatchScorer(transformer, 1);
    assertThat(ofSome.logProbabilities(sparse)).containsExactly(keptScores.toArray(Float[]::new));
    assertThat(gradient(ofSome, transformer, sparse)).isEqualTo(expected);
  }

  @Test
  void aBatchWithNothingToScoreHasNoScoresAndNoGradient() {
    Sequence read = new Sequence(new int[] {1, 2, 3}, new BitSet(), List.of());
    MicroBatchScorer scorer = new MicroBatchScorer(tiny(8), 1);
    assertThat(scorer.logProbabilities(List.of(read))).isEmpty();
    assertThat(gradient(scorer, tiny(8), List.of(read))).containsOnly(0f);
  }

  @Test
  void aScorerThatIsUsedAgainGivesWhatANewOneGives() {
    Transformer transformer = tiny(8);
    MicroBatchScorer used = new MicroBatchScorer(transformer, 1);
    SplittableRandom random = new SplittableRandom(2);
    // On both sides of 16, and longer within the same sixteen.
    for (int length : new int[] {3, 17, 30, 31, 9}) {
      List<Sequence> batch = List.of(sequence(length, random, false));
      assertThat(gradient(used, transformer, batch))
          .isEqualTo(gradient(new MicroBatchScorer(transformer, 1), transformer, batch));
    }
  }

  private static float[] gradient(MicroBatchScorer scorer, Transformer model, List<Sequence> on) {
    float[] by = scorer.logProbabilities(on);
    float[] gradient = new float[model.weights().length];
    scorer.addGradient(by, gradient);
    return gradient;
  }
}
