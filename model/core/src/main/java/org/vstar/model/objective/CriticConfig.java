package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * A critic: a copy of the reference policy's model (or of an adapter on it). The value of a state
 * is read off the next token's logits z.
 *
 * <pre>V = low + (high − low) σ(z₀ − z₁)</pre>
 *
 * <p>z₀ and z₁ being those of the vocabulary's first two tokens: a linear head with two rows of the
 * output matrix for its weights. It is trained by the optimizer of {@code train.optimizer} at a
 * rate of its own.
 *
 * @param low no return is below it
 * @param high no return is above it
 * @param learningRate constant, above 0
 * @param epochs how often it goes through a step's trajectories, 1 or more
 * @param alone steps at the beginning in which it learns and the policy does not, 0 or more
 * @param loss what it minimises
 */
public record CriticConfig(
    @Default("-1.0") double low,
    @Default("2.0") double high,
    @Default("1.0e-3") double learningRate,
    @Default("4") int epochs,
    @Default("0") int alone,
    ValueLoss loss) {

  /** Checks the ranges. */
  public CriticConfig {
    InvalidInputException.require(high > low, "critic.high", high, "more than critic.low");
    InvalidInputException.require(
        learningRate > 0, "critic.learningRate", learningRate, "more than 0");
    InvalidInputException.require(epochs > 0, "critic.epochs", epochs, "at least 1");
    InvalidInputException.require(alone >= 0, "critic.alone", alone, "0 or more");
  }

  /** For fingerprints. */
  CanonicalJson canonical() {
    return CanonicalJson.of("critic", 1)
        .with("low", low)
        .with("high", high)
        .with("learningRate", learningRate)
        .with("epochs", epochs)
        .with("alone", alone)
        .with("valueClip", loss.valueClip())
        .with("valueAggregation", loss.valueAggregation().word())
        .with("valueMaxLength", loss.valueMaxLength());
  }
}
