package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Experimental;
import org.vstar.model.advantage.Advantage;

/**
 * An objective whose loss is made of tokens' losses: an advantage estimator of its own, and {@link
 * TokenLoss} for all else. A record that has the three components is one.
 */
@Experimental
public interface TokenObjective extends Objective {

  /** Level of the ratio. */
  Ratio ratio();

  /** Which means of losses are taken. */
  Aggregation.Mode aggregation();

  /** The loss of tokens. */
  TokenLoss loss();

  /** For fingerprints: the settings besides these three. */
  CanonicalJson own();

  @Override
  default Aggregation lossAggregation() {
    return loss().aggregation(aggregation());
  }

  @Override
  default boolean readsBaselines() {
    return false;
  }

  @Override
  default boolean readsReference() {
    return loss().readsReference();
  }

  @Override
  default boolean isFlat(Advantage advantage) {
    return advantage.isZero() && loss().isZeroWithoutAdvantage();
  }

  @Override
  default boolean rejects(float[] old, float[] sampled) {
    return loss().correction() != null && loss().correction().rejects(old, sampled);
  }

  @Override
  default Loss loss(LogProbs logProbs, Advantage advantage) {
    return loss().of(logProbs, advantage, ratio(), aggregation());
  }

  @Override
  default CanonicalJson canonical() {
    return loss().canonical(own(), ratio(), aggregation());
  }
}
