package org.vstar.model.advantage;

import java.util.List;
import java.util.stream.IntStream;
import org.vstar.model.rollout.Trajectory;

/**
 * Dynamic sampling's rule (DAPO, arXiv 2503.14476, equation 11): a group whose returns are all
 * equal has no advantage, and is sampled anew. With graded returns these are not "all right or all
 * wrong". A group of one stays.
 */
public final class GroupFilter {

  private GroupFilter() {}

  /** The trajectories that stay, in their order. */
  public static List<Trajectory> keep(List<Trajectory> trajectories) {
    boolean[] kept =
        kept(
            new Groups(trajectories.stream().map(t -> t.task().id()).toList()),
            trajectories.stream().mapToDouble(Trajectory::episodeReturn).toArray());
    return IntStream.range(0, kept.length)
        .filter(i -> kept[i])
        .mapToObj(trajectories::get)
        .toList();
  }

  /**
   * Which trajectories stay.
   *
   * @param groups of the trajectories
   * @param returns of each
   */
  static boolean[] kept(Groups groups, double[] returns) {
    boolean[] kept = new boolean[returns.length];
    for (int[] members : groups.members()) {
      boolean differ = members.length == 1;
      for (int member : members) {
        differ |= returns[member] != returns[members[0]];
      }
      for (int member : members) {
        kept[member] = differ;
      }
    }
    return kept;
  }
}
