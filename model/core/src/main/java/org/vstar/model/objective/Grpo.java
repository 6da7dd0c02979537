package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.GroupRelative;

/**
 * GRPO (arXiv 2402.03300): several rollouts of a task, each held against the others, and a clipped
 * ratio. With {@code clipHigh: 0.28}, {@code aggregation: token-mean} and {@code
 * train.dynamicSampling} it is DAPO (arXiv 2503.14476); with {@code ratio: sequence-mean} it is
 * GSPO (arXiv 2507.18071).
 *
 * @param group how advantages are taken in a group
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record Grpo(
    GroupRelative group,
    @Default("token") Ratio ratio,
    @Default("seq-mean-token-mean") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code grpo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "grpo";
    }

    @Override
    public Class<Grpo> objective() {
      return Grpo.class;
    }
  }

  /** Checks that the settings go together. */
  public Grpo {
    loss.requireFits(ratio, aggregation);
  }

  @Override
  public String method() {
    return "GRPO";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return group;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("grpo", 1).with("group", group.canonical());
  }
}
