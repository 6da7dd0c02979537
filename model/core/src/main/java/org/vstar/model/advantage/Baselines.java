package org.vstar.model.advantage;

import java.util.Map;
import java.util.Optional;

/**
 * What advantages can be held against. Values of tasks are by task id; they are NaN where nobody
 * has measured them.
 *
 * @param values what returns are held against: V*, or what {@code train.baseline} has instead
 * @param means mean return of the reference policy's samples
 * @param critic learned beside the policy, where the objective has one
 * @param policy scores under the policy that is trained
 */
public record Baselines(
    Map<String, Double> values,
    Map<String, Double> means,
    Optional<Critic> critic,
    PolicyScorer policy) {

  /** Nothing has been measured, and nothing can be scored: for what needs neither. */
  public static Baselines none() {
    return new Baselines(
        Map.of(),
        Map.of(),
        Optional.empty(),
        trajectories -> {
          throw new IllegalStateException("there is no policy to score with");
        });
  }
}
