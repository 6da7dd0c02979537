package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.RewardToGo;

/**
 * REINFORCE++ (arXiv 2501.03262): one rollout of a task; what follows a token is its return,
 * brought to mean 0 and variance 1 over all tokens of the step, and a clipped ratio.
 *
 * @param advantage how advantages are taken
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record ReinforcePlusPlus(
    RewardToGo advantage,
    @Default("token") Ratio ratio,
    @Default("token-mean") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code reinforce++} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "reinforce++";
    }

    @Override
    public Class<ReinforcePlusPlus> objective() {
      return ReinforcePlusPlus.class;
    }
  }

  /** Checks that the settings go together. */
  public ReinforcePlusPlus {
    loss.requireFitsTokens(ratio, aggregation);
  }

  @Override
  public String method() {
    return "REINFORCE++";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return advantage;
  }

  @Override
  public boolean readsReference() {
    return loss.readsReference() || advantage.rewardKlWeight() > 0;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("reinforce++", 1).with("advantage", advantage.canonical());
  }
}
