package org.vstar.model.advantage;

import java.util.List;
import java.util.Map;
import org.vstar.model.rollout.Trajectory;

/**
 * r(x,y) − V*(x): the return against what the task is worth under the reference policy. It needs no
 * critic and no second rollout of the task.
 *
 * @param vStar V* by task id, or another baseline to compare it with
 */
public record ValueBaseline(Map<String, Double> vStar) implements AdvantageEstimator {

  @Override
  public List<Advantage> estimate(List<Trajectory> step) {
    return step.stream()
        .map(t -> Advantage.same(t.episodeReturn() - vStar.get(t.task().id())))
        .toList();
  }
}
