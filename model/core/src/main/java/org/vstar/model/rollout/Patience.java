package org.vstar.model.rollout;

import java.io.Serializable;
import org.vstar.common.InvalidInputException;

/**
 * What is done about an environment that fails: it throws, gives a reward that is not finite, or
 * does not answer. None of these is ever a reward.
 *
 * @param attempts how often an episode is played, from its beginning and with the same seed, until
 *     its environment does not fail; at least 1
 * @param turnSeconds how long an environment may take to begin an episode, to show what it has to
 *     show, or to answer an action; 0 is without end
 */
public record Patience(int attempts, int turnSeconds) implements Serializable {

  /** One attempt, however long it takes. */
  public static final Patience ONE_ATTEMPT = new Patience(1, 0);

  /** Checks the ranges. */
  public Patience {
    InvalidInputException.require(attempts > 0, "faults.attempts", attempts, "at least 1");
    InvalidInputException.require(
        turnSeconds >= 0, "faults.turnSeconds", turnSeconds, "0 (without end) or more");
  }
}
