package org.vstar.model.advantage;

import java.util.List;

/** 1 where the environment says that the task was accomplished, else 0. */
public record Successes() implements AdvantageEstimator {

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    return step.stream()
        .map(scored -> Advantage.same(scored.trajectory().success() ? 1 : 0))
        .toList();
  }
}
