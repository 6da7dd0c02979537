package org.vstar.model.advantage;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;

/**
 * The return against those of the same task, as in GRPO (arXiv 2402.03300, equation 4):
 *
 * <pre>A = (r − mean_G r) / (deviation + ε)</pre>
 *
 * @param rolloutsPerTask size of a group G, 1 or more
 * @param scale divisor of A: the deviation of the {@code group}, of the whole {@code batch}, or
 *     {@code none}
 * @param deviation how the deviation is taken: {@code sample} (n − 1) or {@code population} (n)
 * @param epsilon ε, 0 or more: 1e-6 in verl, 1e-4 in TRL, 1e-9 in OpenRLHF
 * @param singleton the advantage in a group of one: its {@code return} or {@code zero}
 * @param unscored treatment of NaN returns: {@code skip} the update, or {@code exclude} it from its
 *     group
 */
@Group
public record GroupRelative(
    @Default("8") int rolloutsPerTask,
    @Default("group") Scale scale,
    @Default("sample") Deviation deviation,
    @Default("1.0e-6") double epsilon,
    @Default("return") Singleton singleton,
    @Default("skip") Unscored unscored)
    implements AdvantageEstimator {

  /** What a centred return is divided by. */
  public enum Scale {
    /** The deviation of the group's returns. */
    @JsonProperty("group")
    GROUP,
    /** The deviation of all returns of the step. */
    @JsonProperty("batch")
    BATCH,
    /** Nothing, as in Dr. GRPO (arXiv 2503.20783). */
    @JsonProperty("none")
    NONE;

    String word() {
      return this == GROUP ? "group" : this == BATCH ? "batch" : "none";
    }
  }

  /** What becomes of a return that is NaN. */
  public enum Unscored {
    /** It makes its group's advantages NaN, so that the update is skipped. */
    @JsonProperty("skip")
    SKIP,
    /** It is left out of means and deviations, and has advantage 0. */
    @JsonProperty("exclude")
    EXCLUDE;

    String word() {
      return this == SKIP ? "skip" : "exclude";
    }
  }

  /** Checks the ranges. */
  public GroupRelative {
    InvalidInputException.require(
        rolloutsPerTask > 0, "rolloutsPerTask", rolloutsPerTask, "at least 1");
    InvalidInputException.require(epsilon >= 0, "epsilon", epsilon, "0 or more");
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    return Advantage.each(
        of(new Groups(ScoredTrajectory.tasks(step)), ScoredTrajectory.returns(step)));
  }

  /** The advantage of each return. */
  double[] of(Groups groups, double[] returns) {
    boolean exclude = unscored == Unscored.EXCLUDE;
    Moments[] moments = groups.moments(returns, exclude);
    Moments all =
        Moments.of(Arrays.stream(returns).filter(r -> !exclude || !Double.isNaN(r)).toArray());
    return IntStream.range(0, returns.length)
        .mapToDouble(i -> exclude && Double.isNaN(returns[i]) ? 0 : of(returns[i], moments[i], all))
        .toArray();
  }

  private double of(double r, Moments group, Moments all) {
    boolean alone = group.count() == 1;
    if (alone && singleton == Singleton.ZERO) {
      return 0;
    }
    double centred = r - (alone ? 0 : group.mean());
    return switch (scale) {
      case NONE -> centred;
      case GROUP -> divided(centred, alone ? 1 : group.deviation(deviation));
      case BATCH -> divided(centred, all.count() == 1 ? 1 : all.deviation(deviation));
    };
  }

  /** Equal returns have advantage 0, whatever ε. */
  private double divided(double centred, double by) {
    return centred == 0 ? 0 : centred / (by + epsilon);
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("group-relative", 1)
        .with("rolloutsPerTask", rolloutsPerTask)
        .with("scale", scale.word())
        .with("deviation", deviation.word())
        .with("epsilon", epsilon)
        .with("singleton", singleton.word())
        .with("unscored", unscored.word());
  }
}
