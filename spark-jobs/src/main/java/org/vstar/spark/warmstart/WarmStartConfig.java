package org.vstar.spark.warmstart;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.InputError;
import org.vstar.model.train.OptimizerConfig;

/**
 * Imitation, data-parallel with parameter averaging.
 *
 * @param workers replicas; a fixed number, so that results do not depend on the cluster
 * @param rounds how often the replicas are averaged
 * @param batchesPerRound minibatches of each replica between averagings
 * @param batch demonstrations in a minibatch
 * @param initialDeviation standard deviation of the initial weights
 * @param optimizer Adam (weight decay is not used here) and its schedule
 */
public record WarmStartConfig(
    @JsonProperty(required = true) int workers,
    @JsonProperty(required = true) int rounds,
    @JsonProperty(required = true) int batchesPerRound,
    @JsonProperty(required = true) int batch,
    @JsonProperty(required = true) double initialDeviation,
    @JsonProperty(required = true) OptimizerConfig optimizer) {

  public WarmStartConfig {
    InputError.require(workers > 0, "warmStart.workers", workers, "at least 1");
    InputError.require(rounds > 0, "warmStart.rounds", rounds, "at least 1");
    InputError.require(
        batchesPerRound > 0, "warmStart.batchesPerRound", batchesPerRound, "at least 1");
    InputError.require(batch > 0, "warmStart.batch", batch, "at least 1");
    InputError.require(
        initialDeviation > 0, "warmStart.initialDeviation", initialDeviation, "more than 0");
  }
}
