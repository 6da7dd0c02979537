package org.vstar.spark.warmstart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.spark.api.RDDTrainingApproach;
import org.deeplearning4j.spark.api.Repartition;
import org.deeplearning4j.spark.impl.multilayer.SparkDl4jMultiLayer;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingMaster;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.learning.config.IUpdater;
import org.vstar.common.InvalidInputException;
import org.vstar.model.dl4j.LanguageModelLayer;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.engine.vector.VectorWeights;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.WarmStartConfig;

/**
 * Imitation on executors: replicas of a small policy train on demonstrations that are played where
 * they are, and DL4J averages their parameters and the means of their gradients after every round.
 */
final class ReplicaImitation implements Learner {

  private final JavaSparkContext sc;
  private final RunConfig config;
  private final Policy start;
  private final Broadcast<Lesson> lesson;
  private final SparkDl4jMultiLayer training;

  /**
   * Prepares to train. With one or two workers the result depends on the config alone; DL4J sums
   * the parameters of more in order of arrival, so that their last bits differ from run to run.
   *
   * @param start where training starts; its parameters are copied
   */
  ReplicaImitation(JavaSparkContext sc, RunConfig config, Lesson lesson, Policy start) {
    this.sc = sc;
    this.config = config;
    this.start = start;
    this.lesson = sc.broadcast(lesson);
    float[] initial = VectorWeights.of(start.engine().weights()).values();
    MultiLayerNetwork network = network(config, start.engine().vocabulary(), initial);
    this.training =
        new SparkDl4jMultiLayer(
            sc, network, master(config.warmStart(), WarmStartJob.seed(config, "averaging")));
  }

  @Override
  public double round(int number) {
    WarmStartConfig warm = config.warmStart();
    sc.setJobDescription(
        "warm start: round " + (number + 1) + " of " + warm.rounds() + ", imitate and average");
    JavaRDD<DataSet> data = batches(number);
    training.fit(data);
    data.unpersist(false);
    sc.setJobDescription(null);
    if (!Double.isFinite(training.getScore())) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "warm start: the loss of round %d is %s: lower warmStart.optimizer.learningRate",
              number + 1,
              training.getScore()));
    }
    return training.getScore();
  }

  @Override
  public Policy policy() {
    return policy(config.engine(), config.samplingOptions());
  }

  private Policy policy(String engine, EngineOptions options) {
    VectorWeights weights =
        new VectorWeights(
            start.engine().config(),
            start.engine().vocabulary(),
            LanguageModelLayer.weights(training.getNetwork()));
    return new Policy(
        EngineKind.of(engine).open(weights, options), start.tokenizer(), start.chat());
  }

  @Override
  public Checkpoint checkpoint(Map<String, String> settings) {
    WarmStartConfig warm = config.warmStart();
    int steps = training.getNetwork().getLayerWiseConfigurations().getIterationCount();
    return new Checkpoint(
        policy(VectorEngine.KIND, EngineOptions.ONE_THREAD),
        LanguageModelLayer.moments(training.getNetwork()),
        Checkpoint.State.ofImitation(steps, warm.rounds() * warm.batchesPerRound(), settings));
  }

  @Override
  public void restore(Checkpoint checkpoint) {
    LanguageModelLayer.restore(
        training.getNetwork(), checkpoint.state().step(), checkpoint.moments());
  }

  @Override
  public void close() {
    lesson.destroy();
  }

  private static MultiLayerNetwork network(RunConfig config, int vocabulary, float[] initial) {
    WarmStartConfig warm = config.warmStart();
    int steps = warm.rounds() * warm.batchesPerRound();
    IUpdater updater =
        warm.muon() == null
            ? LanguageModelLayer.adam(warm.optimizer(), steps)
            : LanguageModelLayer.muon(
                config.model(), vocabulary, warm.optimizer(), steps, warm.muon());
    return LanguageModelLayer.network(
        config.model(),
        vocabulary,
        initial,
        updater,
        warm.optimizer().clipNorm(),
        WarmStartJob.seed(config, "network"));
  }

  private static ParameterAveragingTrainingMaster master(WarmStartConfig warm, long seed) {
    // A minibatch is one example to DL4J.
    return new ParameterAveragingTrainingMaster.Builder(warm.workers(), 1)
        .batchSizePerWorker(1)
        .averagingFrequency(warm.batchesPerRound())
        .saveUpdater(true)
        .repartionData(Repartition.Never)
        .rddTrainingApproach(RDDTrainingApproach.Direct)
        .rngSeed(seed)
        .build();
  }

  /** A round's minibatches, played where they will be trained on. */
  private JavaRDD<DataSet> batches(int round) {
    WarmStartConfig warm = config.warmStart();
    List<Long> seeds = new ArrayList<>();
    for (int i = 0; i < warm.workers() * warm.batchesPerRound(); i++) {
      seeds.add(Lesson.seed(config, round, i));
    }
    int size = warm.batch();
    Broadcast<Lesson> shared = lesson;
    return sc.parallelize(seeds, warm.workers())
        .map(seed -> LanguageModelLayer.dataSet(shared.value().batch(seed, size)));
  }
}
