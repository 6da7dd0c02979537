package org.vstar.model.train;

import java.util.List;
import org.vstar.model.rollout.Trajectory;

/**
 * Trajectories of the reference policy that are there already, in the order in which training takes
 * them: each once an epoch.
 */
@FunctionalInterface
public interface StoredTrajectories {

  /**
   * Some from a place in the order.
   *
   * @param cursor how many come before
   * @param count how many are wanted; the last step of all may get fewer
   * @return at least one
   */
  List<Trajectory> from(long cursor, int count);
}
