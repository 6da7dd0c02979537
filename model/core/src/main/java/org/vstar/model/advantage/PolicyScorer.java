package org.vstar.model.advantage;

import java.util.List;
import org.vstar.model.engine.Sequence;

/** Scores sequences under the policy that is trained, as it is before a step's first update. */
@FunctionalInterface
public interface PolicyScorer {

  /**
   * ln π of the agent's tokens.
   *
   * @param trajectories the sequences of each
   * @return of each trajectory its agent tokens, in order
   */
  float[][] logProbabilities(List<List<Sequence>> trajectories);
}
