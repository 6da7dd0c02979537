package org.vstar.spark.run;

import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.vector.Initialization;

/**
 * How the reference policy is made: supervised fine-tuning on demonstrations. Vstar's own small
 * policies train on executors, data-parallel with parameter averaging, by DL4J; {@code huggingFace}
 * policies on the driver, with the config's engine.
 *
 * @param workers replicas on executors; a fixed number, whatever the cluster. Results repeat to the
 *     last bit with 1 or 2; with more, the averaging sums in order of arrival. Only for policies of
 *     Vstar's own
 * @param rounds how often the replicas are averaged, and how often the loss is reported
 * @param batchesPerRound minibatches of a round, for each replica
 * @param batch demonstrations in a minibatch
 * @param pieces tokens of a subword vocabulary, learned from train instructions and what the
 *     environment shows anyone. Without it the vocabulary is of whole words, and a word that it
 *     lacks is unknown; where words vary, take pieces. Only for policies of Vstar's own
 * @param recorded episodes to imitate too; none without it
 * @param initialization the weights that training starts from, where no {@code huggingFace.model}
 *     has them
 * @param optimizer Adam and its schedule; its {@code weightDecay} has to be 0 where there are
 *     {@code workers}
 * @param muon the momentum of Muon, above 0, below 1; 0.95 is usual. Muon steps the matrices of the
 *     blocks then, with the optimizer's rate, and Adam all else; with 0, or without it, Adam steps
 *     all. Only for policies of Vstar's own
 * @param freshDemonstrations so many other demonstrations on train tasks are scored at the end, to
 *     compare learning rates and the like; none without it. Recorded episodes are not among them:
 *     all may have been imitated
 * @param checkpointEvery rounds between checkpoints, which {@code --resume} goes on from; 5 without
 *     it, none with {@code rounds}. Two are kept, each of the policy and the optimizer's moments:
 *     three times the policy's size
 */
public record WarmStartConfig(
    @OptionalKey Integer workers,
    int rounds,
    int batchesPerRound,
    int batch,
    @OptionalKey Integer pieces,
    @OptionalKey Recorded recorded,
    @OptionalKey Initialization initialization,
    OptimizerConfig optimizer,
    @OptionalKey Double muon,
    @OptionalKey Integer freshDemonstrations,
    @OptionalKey Integer checkpointEvery) {

  private static final int CHECKPOINT_EVERY = 5;

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
    InvalidInputException.require(
        workers == null || workers > 0, "warmStart.workers", workers, "at least 1");
    InvalidInputException.require(rounds > 0, "warmStart.rounds", rounds, "at least 1");
    InvalidInputException.require(
        batchesPerRound > 0, "warmStart.batchesPerRound", batchesPerRound, "at least 1");
    InvalidInputException.require(batch > 0, "warmStart.batch", batch, "at least 1");
    InvalidInputException.require(
        pieces == null || workers != null,
        "warmStart.pieces",
        pieces,
        "no such key with huggingFace: its tokenizer is there already");
    InvalidInputException.require(
        workers == null || optimizer.weightDecay() == 0,
        "warmStart.optimizer.weightDecay",
        optimizer.weightDecay(),
        "0: the updaters of DL4J's training have no decoupled weight decay");
    InvalidInputException.require(
        muon == null || workers != null,
        "warmStart.muon",
        muon,
        "no such key with huggingFace: its policies learn by AdamW");
    InvalidInputException.require(
        muon == null || muon >= 0 && muon < 1, "warmStart.muon", muon, "0 or more, below 1");
    InvalidInputException.require(
        freshDemonstrations == null || freshDemonstrations > 0,
        "warmStart.freshDemonstrations",
        freshDemonstrations,
        "at least 1");
    checkpointEvery = checkpointEvery == null ? CHECKPOINT_EVERY : checkpointEvery;
    InvalidInputException.require(
        checkpointEvery > 0, "warmStart.checkpointEvery", checkpointEvery, "at least 1");
    muon = muon != null && muon == 0 ? null : muon;
  }

  /** What the numbers of a warm start depend on, beside its seed and what it begins with. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("warm start", 1)
        .with("workers", workers)
        .with("rounds", rounds)
        .with("batchesPerRound", batchesPerRound)
        .with("batch", batch)
        .with("recorded", recorded == null ? null : recorded.share)
        .with("optimizer", optimizer.canonical())
        .with("muon", muon);
  }
}
