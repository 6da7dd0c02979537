package org.vstar.model.imitation.dl4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.IUpdater;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.vector.MicroBatchScorer;
import org.vstar.model.engine.vector.Transformer;
import org.vstar.model.engine.vector.VectorGradient;
import org.vstar.model.weights.Initialization;

class LanguageModelLayerTest {

  private static final ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 64, 500, 1e-5, true);
  private static final int VOCABULARY = 21;
  private static final OptimizerConfig OPTIMIZER =
      new OptimizerConfig(1e-2, 2, 0.1, 0.9, 0.98, 1e-8, 0, 1);

  private final float[] initial = new Initialization(0.2, 0.2, false).draw(SHAPE, VOCABULARY, 8);
  private final MultiLayerNetwork network = network(OPTIMIZER);
  private final List<Sequence> sequences = List.of(counting(3, 12), counting(9, 7));
  private final DataSet data = LanguageModelLayer.dataSet(sequences);

  private MultiLayerNetwork network(OptimizerConfig optimizer) {
    IUpdater updater = LanguageModelLayer.updater(SHAPE, VOCABULARY, optimizer, 40);
    return LanguageModelLayer.network(SHAPE, VOCABULARY, initial, updater, OPTIMIZER.clipNorm(), 1);
  }

  private MultiLayerNetwork withMuon() {
    return network(OPTIMIZER.withMuon(0.95));
  }

  /** Tokens that count up; all but the first are to be learned. */
  private static Sequence counting(int from, int length) {
    int[] tokens = new int[length];
    Arrays.setAll(tokens, i -> (from + i) % VOCABULARY);
    BitSet agent = new BitSet();
    agent.set(1, length);
    return new Sequence(tokens, agent, List.of());
  }

  @Test
  void scoreIsTheMeanNegativeLogProbabilityOfTheTrainedTokens() {
    MicroBatchScorer scorer = new MicroBatchScorer(new Transformer(SHAPE, VOCABULARY, initial), 1);
    double sum = 0;
    float[] logProbabilities = scorer.logProbabilities(sequences);
    for (float p : logProbabilities) {
      sum -= p;
    }
    assertThat(logProbabilities).hasSize(11 + 6);
    assertThat(network.score(data)).isCloseTo(sum / logProbabilities.length, within(1e-5));
  }

  @Test
  void dl4jHandsOnTheTransformersClippedGradient() {
    MicroBatchScorer scorer = new MicroBatchScorer(new Transformer(SHAPE, VOCABULARY, initial), 1);
    int n = scorer.logProbabilities(sequences).length;
    float[] logProbGradient = new float[n];
    Arrays.fill(logProbGradient, -1f / n);
    float[] expected = new float[initial.length];
    scorer.addGradient(logProbGradient, expected);
    VectorGradient.clip(expected, OPTIMIZER.clipNorm());
    network.setInput(data.getFeatures());
    network.setLabels(data.getLabels());
    network.computeGradientAndScore();
    assertThat(network.gradient().gradient().toFloatVector()).isEqualTo(expected);
  }

  @Test
  void fittingThroughDl4jLearnsWithEitherUpdater() {
    for (MultiLayerNetwork either : List.of(network, withMuon())) {
      double before = either.score(data);
      for (int i = 0; i < 40; i++) {
        either.fit(data);
      }
      assertThat(either.score(data)).isLessThan(before / 4);
    }
  }

  @Test
  void muonGoesOnFromItsStateAfterAModelWasStored(@TempDir Path folder) throws IOException {
    MultiLayerNetwork muon = withMuon();
    muon.fit(data);
    File file = folder.resolve("network.zip").toFile();
    ModelSerializer.writeModel(muon, file, true);
    MultiLayerNetwork read = ModelSerializer.restoreMultiLayerNetwork(file, true);
    muon.fit(data);
    read.fit(data);
    assertThat(LanguageModelLayer.weights(read)).isEqualTo(LanguageModelLayer.weights(muon));
  }

  @Test
  void aNetworkGoesOnFromItsMomentsWithEitherUpdater() {
    for (MultiLayerNetwork whole : List.of(network, withMuon())) {
      whole.fit(data);
      whole.fit(data);
      IUpdater updater =
          whole.getLayerWiseConfigurations().getConf(0).getLayer().getUpdaterByParam("W");
      MultiLayerNetwork resumed =
          LanguageModelLayer.network(
              SHAPE,
              VOCABULARY,
              LanguageModelLayer.weights(whole),
              updater,
              OPTIMIZER.clipNorm(),
              1);
      LanguageModelLayer.restore(resumed, 2, LanguageModelLayer.moments(whole));
      whole.fit(data);
      resumed.fit(data);
      assertThat(LanguageModelLayer.weights(resumed)).isEqualTo(LanguageModelLayer.weights(whole));
    }
  }

  @Test
  void configurationSurvivesTheJsonRoundTrip() {
    String json = network.getLayerWiseConfigurations().toJson();
    MultiLayerConfiguration read = MultiLayerConfiguration.fromJson(json);
    assertThat(read.toJson()).isEqualTo(json);
    LanguageModelLayer layer = (LanguageModelLayer) read.getConf(0).getLayer();
    assertThat(layer.shape()).isEqualTo(SHAPE);
    assertThat(layer.vocabulary()).isEqualTo(VOCABULARY);
    MultiLayerConfiguration muon = withMuon().getLayerWiseConfigurations();
    assertThat(MultiLayerConfiguration.fromJson(muon.toJson())).isEqualTo(muon);
  }

  @Test
  void modelSerializerKeepsTheParameters(@TempDir Path folder) throws IOException {
    network.fit(data);
    File file = folder.resolve("network.zip").toFile();
    ModelSerializer.writeModel(network, file, true);
    MultiLayerNetwork read = ModelSerializer.restoreMultiLayerNetwork(file, true);
    assertThat(LanguageModelLayer.weights(read)).isEqualTo(LanguageModelLayer.weights(network));
    assertThat(read.score(data)).isEqualTo(network.score(data));
  }

  @Test
  void theScheduleRisesToThePeakAndFallsToItsFinalFraction() {
    assertThat(OPTIMIZER.rate(0, 40)).isCloseTo(1e-2 / 3, within(1e-12));
    assertThat(OPTIMIZER.rate(1, 40)).isCloseTo(2e-2 / 3, within(1e-12));
    assertThat(OPTIMIZER.rate(2, 40)).isCloseTo(1e-2, within(1e-12));
    assertThat(OPTIMIZER.rate(39, 40)).isCloseTo(1e-3, within(1e-12));
    for (int step = 3; step < 40; step++) {
      assertThat(OPTIMIZER.rate(step, 40)).isLessThanOrEqualTo(OPTIMIZER.rate(step - 1, 40));
    }
  }
}
