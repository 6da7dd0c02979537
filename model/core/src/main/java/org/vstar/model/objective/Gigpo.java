package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.StepGroups;

/**
 * GiGPO (arXiv 2505.10978): several rollouts of a task, each held against the others, and each turn
 * against all turns of the task that began in the same state.
 *
 * @param group how advantages are taken in a group
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record Gigpo(
    StepGroups group,
    @Default("token") Ratio ratio,
    @Default("seq-mean-token-mean") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code gigpo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "gigpo";
    }

    @Override
    public Class<Gigpo> objective() {
      return Gigpo.class;
    }
  }

  /** Checks that the settings go together. */
  public Gigpo {
    loss.requireFitsTokens(ratio, aggregation);
  }

  @Override
  public String method() {
    return "GiGPO";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return group;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("gigpo", 1).with("group", group.canonical());
  }
}
