package org.vstar.model.rollout;

import java.util.List;
import org.vstar.env.Environment;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;

/** Who plays the episodes of a step of training: threads of this process, or others elsewhere. */
@FunctionalInterface
public interface RolloutWorkers extends AutoCloseable {

  /**
   * Plays episodes under the policy as it is now.
   *
   * @param version how many updates it has behind it, which each trajectory then says
   * @return one for each request, in order
   * @throws org.vstar.common.InvalidInputException naming task and seed if the environment of an
   *     episode failed
   */
  List<Trajectory> play(
      Policy policy, int version, SamplingConfig sampling, List<Request> requests);

  /** Frees what they hold; nothing is to be played any more. */
  @Override
  default void close() {}

  /**
   * Threads of this process.
   *
   * @param slots episodes side by side in a thread
   */
  static RolloutWorkers here(
      Environment environment, int slots, int threads, RetryPolicy retryPolicy) {
    return (policy, version, sampling, requests) ->
        new Rollouts(environment, policy, sampling, version, retryPolicy)
            .run(requests, slots, threads);
  }
}
