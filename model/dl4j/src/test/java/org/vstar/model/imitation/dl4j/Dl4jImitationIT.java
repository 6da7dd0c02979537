package org.vstar.model.imitation.dl4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.AnswerFormat;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.imitation.ImitationConfig;
import org.vstar.model.imitation.ImitationKind;
import org.vstar.model.imitation.Minibatches;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

class Dl4jImitationIT {

  private static final int BATCHES = 6;
  private static final ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 64, 500, 1e-5, true);
  private static final OptimizerConfig OPTIMIZER =
      new OptimizerConfig(1e-2, 2, 0.1, 0.9, 0.98, 1e-8, 0, 1);

  /** From one sequence to three; DL4J must not cut or merge them. */
  private static final Minibatches OF_DIFFERENT_SIZES =
      (round, number) ->
          IntStream.rangeClosed(0, number % 3).mapToObj(i -> counting(number + i, 5 + i)).toList();

  private static Sequence counting(int from, int length) {
    int[] tokens = new int[length];
    Arrays.setAll(tokens, i -> 1 + (from + i) % 7);
    BitSet agent = new BitSet();
    agent.set(1, length);
    return new Sequence(tokens, agent, List.of());
  }

  private static Policy start() {
    ChatTemplate chat = new EpisodeMarks();
    Tokenizer tokenizer =
        new Tokenizer(
            WordVocabulary.build(List.of("a b c d e f g"), AnswerFormat.ANSWER, chat.marks()));
    FlatWeights drawn =
        new FlatWeights(
            SHAPE,
            tokenizer.size(),
            new Initialization(0.2, 0.2, false).draw(SHAPE, tokenizer.size(), 8));
    return new Policy(
        EngineKind.of(EngineKind.DEFAULT).open(drawn, EngineOptions.ONE_THREAD), tokenizer, chat);
  }

  private static ImitationConfig config(OptimizerConfig optimizer) {
    return new ImitationConfig(
        1, 1, BATCHES, optimizer, EngineKind.DEFAULT, EngineOptions.ONE_THREAD, 7);
  }

  private static float[] weights(Policy policy) {
    return FlatWeights.of(policy.engine().weights()).values();
  }

  @Test
  void minibatchesAreTrainedOnOneAfterAnotherWhateverTheirSizesAndTheLossIsTheirMean() {
    Policy start = start();
    int vocabulary = start.engine().vocabulary();
    MultiLayerNetwork oneByOne =
        LanguageModelLayer.network(
            SHAPE,
            vocabulary,
            weights(start),
            LanguageModelLayer.updater(SHAPE, vocabulary, OPTIMIZER, BATCHES),
            OPTIMIZER.clipNorm(),
            1);
    double losses = 0;
    for (int i = 0; i < BATCHES; i++) {
      oneByOne.fit(LanguageModelLayer.dataSet(OF_DIFFERENT_SIZES.minibatch(0, i)));
      losses += oneByOne.score();
    }
    SparkConf conf =
        new SparkConf().setMaster("local[1]").setAppName("test").set("spark.ui.enabled", "false");
    JavaSparkContext sc = new JavaSparkContext(conf);
    try (Imitation imitation =
        ImitationKind.of("dl4j").start(start, config(OPTIMIZER), OF_DIFFERENT_SIZES)) {
      assertThat(imitation.round(0)).isCloseTo(losses / BATCHES, within(1e-12));
      assertThat(weights(imitation.policy())).isEqualTo(LanguageModelLayer.weights(oneByOne));
    } finally {
      sc.stop();
    }
  }

  /** A rate at which nothing is learned: the loss of a minibatch does not depend on its place. */
  @Test
  void theLossOfARoundCountsTheMinibatchesOfEveryReplica() {
    OptimizerConfig still = new OptimizerConfig(1e-12, 2, 0.1, 0.9, 0.98, 1e-8, 0, 1);
    Policy start = start();
    int vocabulary = start.engine().vocabulary();
    MultiLayerNetwork network =
        LanguageModelLayer.network(
            SHAPE,
            vocabulary,
            weights(start),
            LanguageModelLayer.updater(SHAPE, vocabulary, still, 2 * BATCHES),
            still.clipNorm(),
            1);
    double losses = 0;
    for (int i = 0; i < 2 * BATCHES; i++) {
      network.fit(LanguageModelLayer.dataSet(OF_DIFFERENT_SIZES.minibatch(0, i)));
      losses += network.score();
    }
    ImitationConfig two =
        new ImitationConfig(2, 1, BATCHES, still, EngineKind.DEFAULT, EngineOptions.ONE_THREAD, 7);
    SparkConf conf =
        new SparkConf().setMaster("local[2]").setAppName("test").set("spark.ui.enabled", "false");
    JavaSparkContext sc = new JavaSparkContext(conf);
    try (Imitation imitation = ImitationKind.of("dl4j").start(start, two, OF_DIFFERENT_SIZES)) {
      assertThat(imitation.round(0)).isCloseTo(losses / (2 * BATCHES), within(1e-6));
    } finally {
      sc.stop();
    }
  }

  @Test
  void aWeightDecayIsRefusedWithWhatToDo() {
    OptimizerConfig decaying = new OptimizerConfig(1e-2, 2, 0.1, 0.9, 0.98, 1e-8, 0.1, 1);
    assertThatThrownBy(() -> ImitationKind.of("dl4j").requireFitting(config(decaying)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'warmStart.optimizer.weightDecay' is 0.1, expected 0")
        .hasMessageContaining("imitation: engine has one");
  }

  @Test
  void anUnknownKindIsRefusedNamingThoseThereAre() {
    assertThatThrownBy(() -> ImitationKind.of("dl4"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'warmStart.imitation' is 'dl4', expected one of [dl4j]");
  }
}
