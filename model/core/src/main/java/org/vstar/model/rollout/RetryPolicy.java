package org.vstar.model.rollout;

import java.io.Serializable;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;

/**
 * How failures of an environment are handled: it throws, gives a reward that is not finite, or does
 * not answer in time. None of these is ever a reward.
 *
 * @param attempts how often an episode is played, from its beginning and with the same seed, until
 *     its environment does not fail; at least 1
 * @param turnTimeoutSeconds timeout of each call of the environment: to start an episode, to show
 *     an observation, or to take an action; 0 means none
 */
@FormerKey(value = "turnSeconds", now = "turnTimeoutSeconds")
public record RetryPolicy(@Default("3") int attempts, @Default("600") int turnTimeoutSeconds)
    implements Serializable {

  /** One attempt, however long it takes. */
  public static final RetryPolicy ONE_ATTEMPT = new RetryPolicy(1, 0);

  /** Checks the ranges. */
  public RetryPolicy {
    InvalidInputException.require(attempts > 0, "faults.attempts", attempts, "at least 1");
    InvalidInputException.require(
        turnTimeoutSeconds >= 0,
        "faults.turnTimeoutSeconds",
        turnTimeoutSeconds,
        "0 (no timeout) or more");
  }
}
