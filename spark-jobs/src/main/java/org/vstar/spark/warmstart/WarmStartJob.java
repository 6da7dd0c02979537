package org.vstar.spark.warmstart;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.spark.api.RDDTrainingApproach;
import org.deeplearning4j.spark.api.Repartition;
import org.deeplearning4j.spark.impl.multilayer.SparkDl4jMultiLayer;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingMaster;
import org.nd4j.linalg.dataset.DataSet;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.common.RunStore;
import org.vstar.env.AnswerFormat;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.Turn;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.dl4j.LanguageModelLayer;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.vector.VectorWeights;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Demonstrations;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.run.WarmStartConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Trains the reference policy by imitation (supervised fine-tuning). Executors play demonstrations
 * and train replicas of the network on them; DL4J averages the replicas' parameters and Adam
 * moments after every round.
 */
@Command(
    name = "warm-start",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = "Trains the reference policy by imitation, data-parallel over Spark executors.")
public final class WarmStartJob implements Callable<Integer> {

  private static final ChatTemplate CHAT = new EpisodeMarks();

  /** Episodes whose words are collected for the vocabulary. */
  private static final int VOCABULARY_EPISODES = 256;

  @Mixin private JobContext job;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new WarmStartJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunConfig config = job.config();
    Environment environment = job.environment();
    job.alone(RunFolder.REFERENCE, () -> train(config, environment));
    return 0;
  }

  private void train(RunConfig config, Environment environment) throws IOException {
    long start = System.nanoTime();
    RunStore store = job.folder().store();
    if (PolicyFiles.exist(store, RunFolder.REFERENCE)) {
      throw new InvalidInputException(
          "there is a reference policy in "
              + store.location(RunFolder.REFERENCE)
              + " already: delete it, or use another --out");
    }
    DemonstrationSource demonstrations = demonstrations(config, environment);
    SparkSession spark = JobContext.session("Vstar warm start: " + config.name());
    Policy policy =
        train(new JavaSparkContext(spark.sparkContext()), config, environment, demonstrations);
    PolicyFiles.write(policy, store, RunFolder.REFERENCE);
    job.folder().recordStage("warm start", (System.nanoTime() - start) / 1e9);
    System.out.printf(
        "reference policy %s in %s%n", policy.fingerprint(), store.location(RunFolder.REFERENCE));
  }

  private DemonstrationSource demonstrations(RunConfig config, Environment environment) {
    DemonstrationSource scripted = config.environment().demonstrations(environment);
    WarmStartConfig.Recorded recorded = config.warmStart().recorded();
    return recorded == null
        ? scripted
        : RecordedDemonstrations.read(
            job.resolveFromConfig(recorded.file()), recorded.share(), environment, scripted);
  }

  private static long seed(RunConfig config, String use) {
    return new ContentHash().add("warm start").add(use).add(config.seed()).number();
  }

  /** A vocabulary of all words of the environment and of what demonstrators say. */
  private static Tokenizer tokenizer(
      Environment environment, DemonstrationSource demonstrations, long seed) {
    Set<String> text = new LinkedHashSet<>(environment.vocabularyText());
    if (demonstrations instanceof RecordedDemonstrations recorded) {
      // The episodes drawn below may lack some of their words.
      text.addAll(recorded.vocabularyText());
    }
    for (List<Turn> episode : demonstrations.batch(seed, VOCABULARY_EPISODES)) {
      for (Turn turn : episode) {
        text.add(turn.observation());
        text.add(turn.answer().thought());
        text.add(turn.answer().action());
      }
    }
    return new Tokenizer(WordVocabulary.build(text, environment.answerFormat(), CHAT.marks()));
  }

  /**
   * Trains on a given Spark context. With one or two workers the result depends on the config
   * alone; DL4J sums the parameters of more in order of arrival, so that their last bits differ
   * from run to run.
   */
  private static Policy train(
      JavaSparkContext sc,
      RunConfig config,
      Environment environment,
      DemonstrationSource demonstrations) {
    WarmStartConfig warm = config.warmStart();
    Tokenizer tokenizer = tokenizer(environment, demonstrations, seed(config, "vocabulary"));
    float[] initial =
        warm.initialization().draw(config.model(), tokenizer.size(), seed(config, "weights"));
    SparkDl4jMultiLayer training =
        new SparkDl4jMultiLayer(
            sc, network(config, tokenizer.size(), initial), master(warm, seed(config, "batches")));
    Broadcast<Demonstrated> shared =
        sc.broadcast(
            new Demonstrated(
                demonstrations,
                tokenizer.json(),
                new Lazy<>(),
                config.model().context(),
                environment.answerFormat(),
                config.sampling().think()));
    long began = System.nanoTime();
    for (int round = 0; round < warm.rounds(); round++) {
      sc.setJobDescription(
          "warm start: round " + (round + 1) + " of " + warm.rounds() + ", imitate and average");
      JavaRDD<DataSet> data = batches(sc, shared, warm, seed(config, "batches"), round);
      training.fit(data);
      data.unpersist(false);
      if (!Double.isFinite(training.getScore())) {
        throw new InvalidInputException(
            String.format(
                "warm start: the loss of round %d is %s: lower warmStart.optimizer.learningRate",
                round + 1, training.getScore()));
      }
      System.err.printf(
          "warm start: round %d of %d, loss %.4f, %.0f s%n",
          round + 1, warm.rounds(), training.getScore(), (System.nanoTime() - began) / 1e9);
    }
    sc.setJobDescription(null);
    return policy(config, tokenizer, LanguageModelLayer.weights(training.getNetwork()));
  }

  private static MultiLayerNetwork network(RunConfig config, int vocabulary, float[] initial) {
    WarmStartConfig warm = config.warmStart();
    return LanguageModelLayer.network(
        config.model(),
        vocabulary,
        initial,
        warm.optimizer(),
        warm.rounds() * warm.batchesPerRound(),
        seed(config, "batches"));
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

  private static Policy policy(RunConfig config, Tokenizer tokenizer, float[] weights) {
    VectorWeights source = new VectorWeights(config.model(), tokenizer.size(), weights);
    Engine engine = EngineKind.of(config.engine()).open(source, config.samplingOptions());
    return new Policy(engine, tokenizer, CHAT);
  }

  /** What executors need to make minibatches. */
  private record Demonstrated(
      DemonstrationSource source,
      String tokenizer,
      Lazy<Tokenizer> opened,
      int context,
      AnswerFormat format,
      boolean think)
      implements java.io.Serializable {
    DataSet batch(long seed, int size) {
      Tokenizer words = opened.get(() -> new Tokenizer(tokenizer));
      List<Sequence> sequences = new ArrayList<>();
      for (List<Turn> episode : source.batch(seed, size)) {
        sequences.add(Demonstrations.sequence(episode, CHAT, words, format, think, context));
      }
      return LanguageModelLayer.dataSet(sequences);
    }
  }

  /** A round's minibatches, played where they will be trained on. */
  private static JavaRDD<DataSet> batches(
      JavaSparkContext sc, Broadcast<Demonstrated> shared, WarmStartConfig warm, long seed, int r) {
    List<Long> seeds = new ArrayList<>();
    for (int i = 0; i < warm.workers() * warm.batchesPerRound(); i++) {
      seeds.add(new ContentHash().add("batch").add(seed).add(r).add(i).number());
    }
    int size = warm.batch();
    return sc.parallelize(seeds, warm.workers()).map(s -> shared.value().batch(s, size));
  }
}
