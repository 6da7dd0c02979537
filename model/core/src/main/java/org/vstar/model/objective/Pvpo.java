package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.ValueBaseline;

/**
 * PVPO (arXiv 2508.21104): the return against the reference policy's mean return of the task, which
 * is measured before training, and a clipped ratio.
 *
 * @param rolloutsPerTask rollouts of a task in a step, 1 or more
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record Pvpo(
    @Default("1") int rolloutsPerTask,
    @Default("token") Ratio ratio,
    @Default("token-mean") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code pvpo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "pvpo";
    }

    @Override
    public Class<Pvpo> objective() {
      return Pvpo.class;
    }
  }

  /** Checks the range. */
  public Pvpo {
    InvalidInputException.require(
        rolloutsPerTask > 0, "rolloutsPerTask", rolloutsPerTask, "at least 1");
    loss.requireFits(ratio, aggregation);
  }

  @Override
  public String method() {
    return "PVPO";
  }

  @Override
  public boolean readsMeans() {
    return true;
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return new ValueBaseline(baselines.means(), rolloutsPerTask);
  }

  @Override
  public boolean readsBaselines() {
    return true;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("pvpo", 1).with("rolloutsPerTask", rolloutsPerTask);
  }
}
