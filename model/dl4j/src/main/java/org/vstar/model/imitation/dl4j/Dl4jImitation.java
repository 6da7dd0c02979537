package org.vstar.model.imitation.dl4j;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.spark.api.RDDTrainingApproach;
import org.deeplearning4j.spark.api.Repartition;
import org.deeplearning4j.spark.impl.multilayer.SparkDl4jMultiLayer;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingMaster;
import org.nd4j.linalg.dataset.DataSet;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.imitation.ImitationConfig;
import org.vstar.model.imitation.ImitationKind;
import org.vstar.model.imitation.Minibatches;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.weights.FlatWeights;

/**
 * {@code warmStart.imitation: dl4j}: replicas train on Spark's executors, on minibatches that are
 * made where they are trained on, and DL4J averages their parameters and the optimizer's running
 * means after every round. With one or two replicas the result depends on the config alone; DL4J
 * sums the parameters of more in order of arrival, so that their last bits differ from run to run.
 */
final class Dl4jImitation implements Imitation {

  /** Makes {@code dl4j} known. */
  public static final class Kind implements ImitationKind {
    @Override
    public String kind() {
      return "dl4j";
    }

    @Override
    public void requireFitting(ImitationConfig config) {
      InvalidInputException.require(
          config.optimizer().weightDecay() == 0,
          "warmStart.optimizer.weightDecay",
          config.optimizer().weightDecay(),
          "0: the updaters of DL4J's training have no decoupled weight decay (imitation: engine"
              + " has one)");
    }

    @Override
    public Imitation start(Policy start, ImitationConfig config, Minibatches minibatches) {
      return new Dl4jImitation(start, config, minibatches);
    }
  }

  private final JavaSparkContext sc = new JavaSparkContext(SparkContext.getOrCreate());
  private final Policy start;
  private final ImitationConfig config;
  private final Broadcast<Minibatches> minibatches;
  private final SparkDl4jMultiLayer training;
  private final MinibatchLosses losses = new MinibatchLosses(sc.sc());

  private Dl4jImitation(Policy start, ImitationConfig config, Minibatches minibatches) {
    this.start = start;
    this.config = config;
    this.minibatches = sc.broadcast(minibatches);
    this.training = new SparkDl4jMultiLayer(sc, network(start.engine(), config), master(config));
    training.setListeners(losses);
  }

  private static MultiLayerNetwork network(Engine start, ImitationConfig config) {
    return LanguageModelLayer.network(
        start.config(),
        start.vocabulary(),
        FlatWeights.of(start.weights()).values(),
        LanguageModelLayer.updater(
            start.config(), start.vocabulary(), config.optimizer(), config.steps()),
        config.optimizer().clipNorm(),
        Seeds.derive(config.seed(), "network"));
  }

  private static ParameterAveragingTrainingMaster master(ImitationConfig config) {
    // A minibatch is one example to DL4J.
    return new ParameterAveragingTrainingMaster.Builder(config.replicas(), 1)
        .batchSizePerWorker(1)
        .averagingFrequency(config.batchesPerRound())
        .saveUpdater(true)
        .repartionData(Repartition.Never)
        .rddTrainingApproach(RDDTrainingApproach.Direct)
        .rngSeed(Seeds.derive(config.seed(), "averaging"))
        .build();
  }

  @Override
  public double round(int number) {
    sc.setJobDescription(
        "warm start: round " + (number + 1) + " of " + config.rounds() + ", imitate and average");
    JavaRDD<DataSet> data = data(number);
    losses.clear();
    training.fit(data);
    data.unpersist(false);
    sc.setJobDescription(null);
    double loss = losses.mean();
    if (!Double.isFinite(loss)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "warm start: the loss of round %d is %s: lower warmStart.optimizer.learningRate",
              number + 1,
              loss));
    }
    return loss;
  }

  /** A round's minibatches; each replica has a partition of its own. */
  private JavaRDD<DataSet> data(int round) {
    Broadcast<Minibatches> shared = minibatches;
    List<Integer> numbers =
        IntStream.range(0, config.replicas() * config.batchesPerRound()).boxed().toList();
    return sc.parallelize(numbers, config.replicas())
        .map(number -> LanguageModelLayer.dataSet(shared.value().minibatch(round, number)));
  }

  @Override
  public Policy policy() {
    return policy(config.engine(), config.options());
  }

  private Policy policy(String engine, EngineOptions options) {
    FlatWeights weights =
        new FlatWeights(
            start.engine().config(),
            start.engine().vocabulary(),
            LanguageModelLayer.weights(training.getNetwork()));
    return new Policy(
        EngineKind.of(engine).open(weights, options), start.tokenizer(), start.chat());
  }

  @Override
  public Checkpoint checkpoint(Map<String, String> settings) {
    int steps = training.getNetwork().getLayerWiseConfigurations().getIterationCount();
    return new Checkpoint(
        policy(EngineKind.DEFAULT, EngineOptions.ONE_THREAD),
        LanguageModelLayer.moments(training.getNetwork()),
        Checkpoint.State.ofImitation(steps, config.steps(), settings));
  }

  @Override
  public void restore(Checkpoint checkpoint) {
    LanguageModelLayer.restore(
        training.getNetwork(), checkpoint.state().step(), checkpoint.moments());
  }

  @Override
  public void close() {
    minibatches.destroy();
  }
}
