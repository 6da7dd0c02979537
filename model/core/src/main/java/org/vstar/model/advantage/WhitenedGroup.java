package org.vstar.model.advantage;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;

/**
 * REINFORCE++ with a baseline (arXiv 2501.03262): the return less the mean of its task's, whitened
 * over all tokens of the step. A trajectory counts once for each of its tokens there.
 *
 * @param rolloutsPerTask size of a group, 1 or more
 * @param singleton the advantage in a group of one, before whitening: its {@code return} or {@code
 *     zero}
 * @param whiten how the advantages are whitened; null, which no config says, for the centred
 *     returns as they are
 */
@Group
public record WhitenedGroup(
    @Default("8") int rolloutsPerTask,
    @Default("return") Singleton singleton,
    @Default("{}") Whitening whiten)
    implements AdvantageEstimator {

  /** Checks the range. */
  public WhitenedGroup {
    InvalidInputException.require(
        rolloutsPerTask > 0, "rolloutsPerTask", rolloutsPerTask, "at least 1");
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    return Advantage.each(
        of(
            new Groups(ScoredTrajectory.tasks(step)),
            ScoredTrajectory.returns(step),
            ScoredTrajectory.tokens(step),
            ScoredTrajectory.masked(step)));
  }

  /**
   * The advantage of each return.
   *
   * @param tokens how many the agent wrote in each trajectory
   */
  double[] of(Groups groups, double[] returns, int[] tokens, boolean[] masked) {
    double[] centred =
        new GroupRelative(
                rolloutsPerTask,
                GroupRelative.Scale.NONE,
                Deviation.SAMPLE,
                0,
                singleton,
                GroupRelative.Unscored.SKIP)
            .of(groups, returns);
    if (whiten == null) {
      return centred;
    }
    // One more row a trajectory, which counts nowhere: what its own advantage becomes, if it has no
    // tokens too.
    int n = centred.length;
    double[][] rows = new double[2 * n][];
    boolean[] out = Arrays.copyOf(masked, 2 * n);
    for (int i = 0; i < n; i++) {
      rows[i] = new double[tokens[i]];
      Arrays.fill(rows[i], centred[i]);
      rows[n + i] = new double[] {centred[i]};
      out[n + i] = true;
    }
    double[][] whitened = whiten.of(rows, out);
    return IntStream.range(n, 2 * n).mapToDouble(i -> whitened[i][0]).toArray();
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("whitened-group", 1)
        .with("rolloutsPerTask", rolloutsPerTask)
        .with("singleton", singleton.word())
        .with("whiten", whiten == null ? null : whiten.canonical());
  }
}
