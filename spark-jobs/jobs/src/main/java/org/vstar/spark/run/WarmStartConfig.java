package org.vstar.spark.run;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.weights.Initialization;

/**
 * How the reference policy is made: supervised fine-tuning on demonstrations.
 *
 * @param imitation what trains: {@code dl4j}, DeepLearning4J's training on Spark, or {@code
 *     engine}, the config's own engine
 * @param replicas policies that train side by side on executors and are averaged after every round.
 *     Results depend on it, and not on the cluster. {@code dl4j} repeats them to the last bit with
 *     1 or 2; with more, it sums in order of arrival. {@code engine} trains a single one on the
 *     driver
 * @param rounds how often the replicas are averaged, and how often the loss is reported
 * @param batchesPerRound minibatches of a round, for each replica
 * @param batch demonstrations in a minibatch
 * @param vocabularySize tokens of a subword vocabulary, learned from train instructions and what
 *     the environment shows anyone. Without it the vocabulary is of whole words, and a word that it
 *     lacks is unknown; set it where words vary. Not with {@code huggingFace}, which has one
 * @param recorded episodes to imitate too; none without it
 * @param initialization the weights that training starts from, where no {@code huggingFace.model}
 *     has them
 * @param optimizer AdamW or Muon, and the schedule; {@code dl4j} needs a {@code weightDecay} of 0
 * @param heldOutDemonstrations held-out demonstrations on train tasks; their loss is reported at
 *     the end. Recorded episodes are not among them: all may have been imitated
 * @param checkpointEvery rounds between checkpoints, which {@code --resume} goes on from; none with
 *     {@code rounds}. Two are kept, each of the policy and the optimizer's moments: three times the
 *     policy's size
 */
@FormerKey(value = "workers", now = "replicas")
@FormerKey(value = "pieces", now = "vocabularySize")
@FormerKey(value = "freshDemonstrations", now = "heldOutDemonstrations")
@FormerKey(value = "muon", now = "optimizer.momentum")
public record WarmStartConfig(
    @Default("engine") String imitation,
    @Default("1") int replicas,
    int rounds,
    int batchesPerRound,
    int batch,
    @OptionalKey Integer vocabularySize,
    @OptionalKey Recorded recorded,
    @OptionalKey Initialization initialization,
    OptimizerConfig optimizer,
    @Default("0") int heldOutDemonstrations,
    @Default("5") int checkpointEvery) {

  /** Imitation with the config's own engine. */
  public static final String BY_ENGINE = "engine";

  /**
   * Recorded episodes among the demonstrations.
   *
   * @param file as {@code submit/shop} or an evaluation writes it, or a folder of such; relative to
   *     the config file. Episodes on held-out tasks are left out
   * @param share how many of the demonstrations are recorded ones, 0 to 1
   */
  public record Recorded(String file, double share) {
    /** Checks the range. */
    public Recorded {
      InvalidInputException.requireProbability("warmStart.recorded.share", share);
    }
  }

  /** Checks the ranges. */
  public WarmStartConfig {
    InvalidInputException.require(replicas > 0, "warmStart.replicas", replicas, "at least 1");
    InvalidInputException.require(rounds > 0, "warmStart.rounds", rounds, "at least 1");
    InvalidInputException.require(
        batchesPerRound > 0, "warmStart.batchesPerRound", batchesPerRound, "at least 1");
    InvalidInputException.require(batch > 0, "warmStart.batch", batch, "at least 1");
    InvalidInputException.require(
        heldOutDemonstrations >= 0,
        "warmStart.heldOutDemonstrations",
        heldOutDemonstrations,
        "0 or more");
    InvalidInputException.require(
        checkpointEvery > 0, "warmStart.checkpointEvery", checkpointEvery, "at least 1");
  }

  /** What the numbers of a warm start depend on, beside its seed and what it begins with. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("warm start", 2)
        .with("imitation", imitation)
        .with("replicas", replicas)
        .with("rounds", rounds)
        .with("batchesPerRound", batchesPerRound)
        .with("batch", batch)
        .with("recorded", recorded == null ? null : recorded.share)
        .with("optimizer", optimizer.canonical());
  }
}
