package org.vstar.model.imitation;

import java.io.Serializable;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.OptimizerConfig;

/**
 * What an imitation is told.
 *
 * @param replicas policies that train side by side, each on minibatches of its own; parameters and
 *     moments are averaged after every round
 * @param rounds how many there will be; the learning rate's schedule depends on it
 * @param batchesPerRound minibatches of each replica in a round
 * @param optimizer its numbers and its schedule
 * @param engine kind of the engine that the policy runs on
 * @param options what the engine of a replica on an executor may use
 * @param seed for what an implementation draws itself
 */
public record ImitationConfig(
    int replicas,
    int rounds,
    int batchesPerRound,
    OptimizerConfig optimizer,
    String engine,
    EngineOptions options,
    long seed)
    implements Serializable {

  /** Steps of each replica in all rounds. */
  public int steps() {
    return Math.multiplyExact(rounds, batchesPerRound);
  }
}
