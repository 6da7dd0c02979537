package org.vstar.model.imitation;

import java.util.Map;
import org.vstar.common.Experimental;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;

/**
 * Supervised fine-tuning of a policy, a round of minibatches at a time. The same start, config and
 * minibatches give the same policy to the last bit, however many processes take part, unless its
 * {@link ImitationKind} says otherwise.
 */
@Experimental
public interface Imitation extends AutoCloseable {

  /**
   * Trains on the minibatches of one round.
   *
   * @param number of the round, from 0
   * @return the loss, mean −ln π of the imitated tokens, averaged over the round's minibatches
   * @throws org.vstar.common.InvalidInputException if the loss is not finite
   */
  double round(int number);

  /** The policy after the last round. It stays open. */
  Policy policy();

  /**
   * The state after the last round.
   *
   * @param settings all that its numbers depend on, by name
   */
  Checkpoint checkpoint(Map<String, String> settings);

  /** Restores a checkpoint's moments and step. The policy is the one that training started with. */
  void restore(Checkpoint checkpoint);

  /** Frees what training holds; the policy stays open. */
  @Override
  void close();
}
