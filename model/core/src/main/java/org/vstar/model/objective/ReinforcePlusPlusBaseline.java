package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.WhitenedGroup;

/**
 * REINFORCE++ with a baseline (arXiv 2501.03262): several rollouts of a task, each held against
 * their mean; advantages are then brought to mean 0 and variance 1 over all tokens of the step.
 *
 * @param group how advantages are taken in a group
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record ReinforcePlusPlusBaseline(
    WhitenedGroup group,
    @Default("token") Ratio ratio,
    @Default("token-mean") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code reinforce++-baseline} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "reinforce++-baseline";
    }

    @Override
    public Class<ReinforcePlusPlusBaseline> objective() {
      return ReinforcePlusPlusBaseline.class;
    }
  }

  /** Checks that the settings go together. */
  public ReinforcePlusPlusBaseline {
    loss.requireFits(ratio, aggregation);
  }

  @Override
  public String method() {
    return "REINFORCE++ baseline";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return group;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("reinforce++-baseline", 1).with("group", group.canonical());
  }
}
