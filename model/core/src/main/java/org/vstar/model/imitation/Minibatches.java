package org.vstar.model.imitation;

import java.io.Serializable;
import java.util.List;
import org.vstar.common.Experimental;
import org.vstar.model.engine.Sequence;

/** The minibatches of imitation, made where they are trained on: on the driver or on executors. */
@Experimental
@FunctionalInterface
public interface Minibatches extends Serializable {

  /**
   * One minibatch; the same arguments give the same one on every machine.
   *
   * @param round from 0
   * @param number from 0, over the minibatches of all replicas of a round: replica r has those from
   *     r · {@code batchesPerRound} on
   * @return at least one sequence
   * @throws org.vstar.common.InvalidInputException if none of its demonstrations fits the model
   */
  List<Sequence> minibatch(int round, int number);
}
