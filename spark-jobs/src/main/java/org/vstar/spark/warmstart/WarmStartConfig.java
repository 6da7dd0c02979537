package org.vstar.spark.warmstart;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.InputError;
import org.vstar.model.train.OptimizerConfig;
import org.vstar.model.transformer.Initialization;

/**
 * Imitation, data-parallel with parameter averaging.
 *
 * @param workers replicas; a fixed number, whatever the cluster. Results repeat to the last bit
 *     with 1 or 2; with more, the averaging sums in order of arrival
 * @param rounds how often the replicas are averaged
 * @param batchesPerRound minibatches of each replica between averagings
 * @param batch demonstrations in a minibatch
 * @param recorded episodes to imitate too; null for none
 * @param initialization the weights that training starts from
 * @param optimizer Adam (weight decay is not used here) and its schedule
 */
public record WarmStartConfig(
    @JsonProperty(required = true) int workers,
    @JsonProperty(required = true) int rounds,
    @JsonProperty(required = true) int batchesPerRound,
    @JsonProperty(required = true) int batch,
    Recorded recorded,
    @JsonProperty(required = true) Initialization initialization,
    @JsonProperty(required = true) OptimizerConfig optimizer) {

  /**
   * Recorded episodes among the demonstrations.
   *
   * @param file as {@code submit/shop} writes it; episodes on test tasks are left out; relative to
   *     the config file
   * @param share how many of the demonstrations are recorded ones, 0 to 1
   */
  public record Recorded(
      @JsonProperty(required = true) String file, @JsonProperty(required = true) double share) {
    public Recorded {
      InputError.requireProbability("warmStart.recorded.share", share);
    }
  }

  public WarmStartConfig {
    InputError.require(workers > 0, "warmStart.workers", workers, "at least 1");
    InputError.require(rounds > 0, "warmStart.rounds", rounds, "at least 1");
    InputError.require(
        batchesPerRound > 0, "warmStart.batchesPerRound", batchesPerRound, "at least 1");
    InputError.require(batch > 0, "warmStart.batch", batch, "at least 1");
  }
}
