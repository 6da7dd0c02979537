package org.vstar.spark.warmstart;

import java.util.ArrayList;
import java.util.List;
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
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.WarmStartConfig;

/**
 * Imitation on executors: replicas of a small policy train on demonstrations that are played where
 * they are, and DL4J averages their parameters and the means of their gradients after every round.
 */
final class ReplicaImitation {

  private ReplicaImitation() {}

  /**
   * Trains. With one or two workers the result depends on the config alone; DL4J sums the
   * parameters of more in order of arrival, so that their last bits differ from run to run.
   *
   * @param initial where training starts, in the vector engine's layout
   * @return where it ends
   */
  static float[] train(
      JavaSparkContext sc, RunConfig config, Lesson lesson, int vocabulary, float[] initial) {
    WarmStartConfig warm = config.warmStart();
    SparkDl4jMultiLayer training =
        new SparkDl4jMultiLayer(
            sc, network(config, vocabulary, initial), master(warm, Lesson.seed(config)));
    Broadcast<Lesson> shared = sc.broadcast(lesson);
    long began = System.nanoTime();
    for (int round = 0; round < warm.rounds(); round++) {
      sc.setJobDescription(
          "warm start: round " + (round + 1) + " of " + warm.rounds() + ", imitate and average");
      JavaRDD<DataSet> data = batches(sc, shared, config, round);
      training.fit(data);
      data.unpersist(false);
      if (!Double.isFinite(training.getScore())) {
        throw new InvalidInputException(
            String.format(
                "warm start: the loss of round %d is %s: lower warmStart.optimizer.learningRate",
                round + 1, training.getScore()));
      }
      Lesson.say(round, warm, training.getScore(), began);
    }
    sc.setJobDescription(null);
    return LanguageModelLayer.weights(training.getNetwork());
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
        Lesson.seed(config));
  }

  private static ParameterAveragingTrainingMaster master(WarmStartConfig warm, long seed) {
    return new ParameterAveragingTrainingMaster.Builder(warm.workers(), warm.batch())
        .batchSizePerWorker(warm.batch())
        .averagingFrequency(warm.batchesPerRound())
        .saveUpdater(true)
        .repartionData(Repartition.Never)
        .rddTrainingApproach(RDDTrainingApproach.Direct)
        .rngSeed(seed)
        .build();
  }

  /** A round's minibatches, played where they will be trained on. */
  private static JavaRDD<DataSet> batches(
      JavaSparkContext sc, Broadcast<Lesson> shared, RunConfig config, int round) {
    WarmStartConfig warm = config.warmStart();
    List<Long> seeds = new ArrayList<>();
    for (int i = 0; i < warm.workers() * warm.batchesPerRound(); i++) {
      seeds.add(Lesson.seed(config, round, i));
    }
    int size = warm.batch();
    return sc.parallelize(seeds, warm.workers())
        .map(seed -> LanguageModelLayer.dataSet(shared.value().batch(seed, size)));
  }
}
