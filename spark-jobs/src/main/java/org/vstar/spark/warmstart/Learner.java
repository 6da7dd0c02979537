package org.vstar.spark.warmstart;

import java.util.Map;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;

/** A policy that learns by imitation, a round of minibatches at a time. */
interface Learner extends AutoCloseable {

  /**
   * Learns from the minibatches of a round.
   *
   * @param number from 0
   * @return the mean loss
   * @throws org.vstar.common.InvalidInputException if it is not finite
   */
  double round(int number);

  /** The policy as it is now. It stays open. */
  Policy policy();

  /**
   * Where it is now, to be saved before it goes on.
   *
   * @param settings all that its numbers depend on, by name
   */
  Checkpoint checkpoint(Map<String, String> settings);

  /** Goes on from a checkpoint. It must have been made with the checkpoint's policy. */
  void restore(Checkpoint checkpoint);

  @Override
  void close();
}
