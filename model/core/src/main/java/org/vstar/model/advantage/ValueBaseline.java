package org.vstar.model.advantage;

import java.util.List;
import java.util.Map;

/**
 * r(x,y) − V*(x): the return against what the task is worth under the reference policy. It needs no
 * critic and no second rollout of the task.
 *
 * @param vStar V* by task id, or another baseline to compare it with
 * @param rolloutsPerTask rollouts of a task in a step
 */
public record ValueBaseline(Map<String, Double> vStar, int rolloutsPerTask)
    implements AdvantageEstimator {

  /** With one rollout of a task. */
  public ValueBaseline(Map<String, Double> vStar) {
    this(vStar, 1);
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    return step.stream()
        .map(ScoredTrajectory::trajectory)
        .map(t -> Advantage.same(t.episodeReturn() - vStar.get(t.task().id())))
        .toList();
  }
}
