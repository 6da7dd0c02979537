package org.vstar.spark.warmstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.vstar.env.AnswerFormat;
import org.vstar.env.ContentHash;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.env.Turn;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Demonstrations;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.train.LanguageModelLayer;
import org.vstar.model.transformer.Sequence;
import org.vstar.model.transformer.Transformer;
import org.vstar.spark.Job;
import org.vstar.spark.RunConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Trains the reference policy by imitation. Executors play demonstrations and train replicas of the
 * network on them; DL4J averages the replicas' parameters and Adam moments after every round.
 */
@Command(
    name = "warm-start",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Trains the reference policy by imitation, data-parallel over Spark executors.")
public final class WarmStartJob implements Callable<Integer> {

  /** Batches whose words are looked at for the vocabulary. */
  private static final int VOCABULARY_EPISODES = 256;

  @Mixin private Job job;

  public static void main(String[] args) {
    Job.main(new WarmStartJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    long start = System.nanoTime();
    RunConfig config = job.config();
    Environment environment = job.environment();
    Path target = job.folder().reference();
    if (Files.exists(target)) {
      throw new InputError(
          "there is a reference policy in " + target + " already: delete it, or use another --out");
    }
    SparkSession spark = Job.session("Vstar warm start: " + config.name());
    DemonstrationSource demonstrations = config.environment().demonstrations(environment);
    WarmStartConfig.Recorded recorded = config.warmStart().recorded();
    if (recorded != null) {
      demonstrations =
          RecordedDemonstrations.read(
              job.beside(recorded.file()), recorded.share(), environment, demonstrations);
    }
    Policy policy =
        train(new JavaSparkContext(spark.sparkContext()), config, environment, demonstrations);
    Path partial = target.resolveSibling(".reference.partial");
    policy.save(partial);
    Files.move(partial, target);
    job.folder().time("warm start", (System.nanoTime() - start) / 1e9);
    System.out.printf("reference policy %s in %s%n", policy.fingerprint(), target);
    return 0;
  }

  private static long seed(RunConfig config, String use) {
    return new ContentHash().add("warm start").add(use).add(config.seed()).number();
  }

  /** A vocabulary of all words of the environment and of what demonstrators say. */
  private static Tokenizer tokenizer(
      Environment environment, DemonstrationSource demonstrations, long seed) {
    Set<String> text = new LinkedHashSet<>(environment.text());
    if (demonstrations instanceof RecordedDemonstrations recorded) {
      // The batches below need not have them all.
      text.addAll(recorded.text());
    }
    for (List<Turn> episode : demonstrations.batch(seed, VOCABULARY_EPISODES)) {
      for (Turn turn : episode) {
        text.add(turn.observation());
        text.add(turn.answer().thought());
        text.add(turn.answer().action());
      }
    }
    return new Tokenizer(WordVocabulary.build(text, environment.answers()));
  }

  /**
   * Trains on a given Spark context. With one or two workers the result depends on the config
   * alone; DL4J sums the parameters of more in order of arrival, so that their last bits differ
   * from run to run.
   */
  public static Policy train(
      JavaSparkContext sc,
      RunConfig config,
      Environment environment,
      DemonstrationSource demonstrations) {
    WarmStartConfig warm = config.warmStart();
    long seed = seed(config, "batches");
    Tokenizer tokenizer = tokenizer(environment, demonstrations, seed(config, "vocabulary"));
    float[] initial =
        warm.initialization().draw(config.model(), tokenizer.size(), seed(config, "weights"));
    MultiLayerNetwork network =
        LanguageModelLayer.network(
            config.model(),
            tokenizer.size(),
            initial,
            warm.optimizer(),
            warm.rounds() * warm.batchesPerRound(),
            seed);
    ParameterAveragingTrainingMaster master =
        new ParameterAveragingTrainingMaster.Builder(warm.workers(), warm.batch())
            .batchSizePerWorker(warm.batch())
            .averagingFrequency(warm.batchesPerRound())
            .saveUpdater(true)
            .repartionData(Repartition.Never)
            .rddTrainingApproach(RDDTrainingApproach.Direct)
            .rngSeed(seed)
            .build();
    SparkDl4jMultiLayer training = new SparkDl4jMultiLayer(sc, network, master);
    Policy untrained =
        new Policy(tokenizer, new Transformer(config.model(), tokenizer.size(), initial));
    Broadcast<Demonstrated> shared =
        sc.broadcast(
            new Demonstrated(
                demonstrations, untrained, environment.answers(), config.sampling().think()));
    long began = System.nanoTime();
    for (int round = 0; round < warm.rounds(); round++) {
      sc.setJobDescription(
          "warm start: round " + (round + 1) + " of " + warm.rounds() + ", imitate and average");
      JavaRDD<DataSet> data = batches(sc, shared, warm, seed, round);
      training.fit(data);
      data.unpersist(false);
      System.err.printf(
          "warm start: round %d of %d, loss %.4f, %.0f s%n",
          round + 1, warm.rounds(), training.getScore(), (System.nanoTime() - began) / 1e9);
    }
    sc.setJobDescription(null);
    return untrained.withWeights(LanguageModelLayer.weights(training.getNetwork()));
  }

  /** What executors need to make minibatches. */
  private record Demonstrated(
      DemonstrationSource source, Policy policy, AnswerFormat format, boolean think)
      implements java.io.Serializable {
    DataSet batch(long seed, int size) {
      List<Sequence> sequences = new ArrayList<>();
      for (List<Turn> episode : source.batch(seed, size)) {
        sequences.add(
            Demonstrations.sequence(
                episode,
                policy.tokenizer(),
                format,
                think,
                policy.transformer().config().context()));
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
