package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.LeaveOneOut;

/**
 * RLOO (arXiv 2402.14740): the return of a rollout against the mean of its task's other rollouts.
 * The ratio is that of the whole trajectory, which has one loss.
 *
 * @param group how advantages are taken in a group
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record Rloo(
    LeaveOneOut group,
    @Default("sequence-sum") Ratio ratio,
    @Default("seq-mean-token-sum") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code rloo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "rloo";
    }

    @Override
    public Class<Rloo> objective() {
      return Rloo.class;
    }
  }

  /** Checks that the settings go together. */
  public Rloo {
    loss.requireFits(ratio, aggregation);
  }

  @Override
  public String method() {
    return "RLOO";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return group;
  }

  @Override
  public boolean readsReference() {
    return loss.readsReference() || group.rewardKlWeight() > 0;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("rloo", 1).with("group", group.canonical());
  }
}
