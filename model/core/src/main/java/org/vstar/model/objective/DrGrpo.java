package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.Deviation;
import org.vstar.model.advantage.GroupRelative;
import org.vstar.model.advantage.Singleton;

/**
 * Dr. GRPO (arXiv 2503.20783): GRPO without the two divisions that bias it. Returns are centred by
 * their group's mean and not divided by its deviation; losses of tokens are summed and divided by a
 * constant.
 *
 * @param rolloutsPerTask size of a group, 1 or more
 * @param singleton the advantage in a group of one: its {@code return} or {@code zero}
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record DrGrpo(
    @Default("8") int rolloutsPerTask,
    @Default("return") Singleton singleton,
    @Default("token") Ratio ratio,
    @Default("seq-mean-token-sum-norm") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code dr-grpo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "dr-grpo";
    }

    @Override
    public Class<DrGrpo> objective() {
      return DrGrpo.class;
    }
  }

  /** Checks the range. */
  public DrGrpo {
    InvalidInputException.require(
        rolloutsPerTask > 0, "rolloutsPerTask", rolloutsPerTask, "at least 1");
    loss.requireFits(ratio, aggregation);
  }

  private GroupRelative group() {
    return new GroupRelative(
        rolloutsPerTask,
        GroupRelative.Scale.NONE,
        Deviation.SAMPLE,
        0,
        singleton,
        GroupRelative.Unscored.SKIP);
  }

  @Override
  public String method() {
    return "Dr. GRPO";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return group();
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("dr-grpo", 1).with("group", group().canonical());
  }
}
