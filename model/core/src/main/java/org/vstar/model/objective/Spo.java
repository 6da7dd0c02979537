package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.TrackedAdvantage;
import org.vstar.model.advantage.ValueTracker;

/**
 * SPO (arXiv 2509.13232): one rollout of a task, against a value of the task that is tracked while
 * the policy changes, and a clipped ratio. With {@code train.tasks: tracked}, tasks of uncertain
 * outcome are taken more often, as SPO does; that needs returns between 0 and 1. The paper has
 * {@code clipHigh: 0.28}.
 *
 * @param tracker what a task is worth
 * @param ratio level of the ratio: {@code token}, {@code sequence-mean} or {@code sequence-sum}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 */
public record Spo(
    ValueTracker tracker,
    @Default("token") Ratio ratio,
    @Default("token-mean") Aggregation.Mode aggregation,
    TokenLoss loss)
    implements TokenObjective {

  /** Makes {@code spo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "spo";
    }

    @Override
    public Class<Spo> objective() {
      return Spo.class;
    }
  }

  /** Checks that the settings go together. */
  public Spo {
    loss.requireFits(ratio, aggregation);
  }

  @Override
  public String method() {
    return "SPO";
  }

  @Override
  public boolean readsBaselines() {
    return tracker.priorFromReference();
  }

  @Override
  public boolean readsMeans() {
    return tracker.priorFromReference();
  }

  @Override
  public boolean tracksTasks() {
    return true;
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return new TrackedAdvantage(tracker, baselines);
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("spo", 1).with("tracker", tracker.canonical());
  }
}
