package org.vstar.spark.run;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.Group;
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
 * @param schedule how much it imitates
 * @param vocabularySize tokens of a subword vocabulary, learned from train instructions and what
 *     the environment shows anyone. Without it the vocabulary is of whole words, and a word that it
 *     lacks is unknown; set it where words vary. Not with {@code huggingFace}, which has one
 * @param recorded episodes to imitate too; none without it
 * @param initialization the weights that training starts from, where no {@code huggingFace.model}
 *     has them
 * @param optimizer AdamW or Muon, and the schedule; {@code dl4j} needs a {@code weightDecay} of 0
 * @param heldOutDemonstrations held-out demonstrations on train tasks; their loss is reported at
 *     the end. Recorded episodes are not among them: all may have been imitated
 */
@FormerKey(value = "workers", now = "replicas")
@FormerKey(value = "pieces", now = "vocabularySize")
@FormerKey(value = "freshDemonstrations", now = "heldOutDemonstrations")
@FormerKey(value = "muon", now = "optimizer.momentum")
public record WarmStartConfig(
    @Default("engine") String imitation,
    @Default("1") int replicas,
    Schedule schedule,
    @OptionalKey Integer vocabularySize,
    @OptionalKey Recorded recorded,
    @OptionalKey Initialization initialization,
    OptimizerConfig optimizer,
    @Default("0") int heldOutDemonstrations) {

  /** Imitation with the config's own engine. */
  public static final String BY_ENGINE = "engine";

  /**
   * How much a warm start imitates.
   *
   * @param rounds how often the replicas are averaged, and how often the loss is reported
   * @param batchesPerRound minibatches of a round, for each replica
   * @param batch demonstrations in a minibatch
   * @param checkpointEvery rounds between checkpoints, which {@code --resume} goes on from; none
   *     with {@code rounds}. Two are kept, each of the policy and the optimizer's moments: three
   *     times the policy's size
   */
  @Group
  public record Schedule(
      int rounds, int batchesPerRound, int batch, @Default("5") int checkpointEvery) {

    /** Checks the ranges. */
    public Schedule {
      atLeastOne("rounds", rounds);
      atLeastOne("batchesPerRound", batchesPerRound);
      atLeastOne("batch", batch);
      atLeastOne("checkpointEvery", checkpointEvery);
    }
  }

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
    atLeastOne("replicas", replicas);
    InvalidInputException.require(
        heldOutDemonstrations >= 0,
        "warmStart.heldOutDemonstrations",
        heldOutDemonstrations,
        "0 or more");
  }

  private static void atLeastOne(String key, int value) {
    InvalidInputException.require(value > 0, "warmStart." + key, value, "at least 1");
  }

  /** What the numbers of a warm start depend on, beside its seed and what it begins with. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("warm start", 2)
        .with("imitation", imitation)
        .with("replicas", replicas)
        .with("rounds", schedule.rounds)
        .with("batchesPerRound", schedule.batchesPerRound)
        .with("batch", schedule.batch)
        .with("recorded", recorded == null ? null : recorded.share)
        .with("optimizer", optimizer.canonical());
  }
}
