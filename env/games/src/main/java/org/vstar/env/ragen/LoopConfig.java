package org.vstar.env.ragen;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * The loop around a game; defaults are RAGEN's.
 *
 * @param turns turns of an episode
 * @param actionsPerTurn actions of one answer that are played; the rest is dropped
 * @param actions actions of an episode
 * @param formatPenalty reward of a turn without a legal action, or with an unknown one
 * @param thought whether the messages ask for a thought, as {@code sampling.think} says
 * @param responseTokens the length of an answer that the messages name; {@code
 *     sampling.maxTokensPerTurn} is what cuts it
 */
public record LoopConfig(
    @Default("5") int turns,
    @Default("2") int actionsPerTurn,
    @Default("10") int actions,
    @Default("-0.1") double formatPenalty,
    @Default("true") boolean thought,
    @Default("100") int responseTokens)
    implements Serializable {

  /** Checks the ranges. */
  public LoopConfig {
    atLeastOne("turns", turns);
    atLeastOne("actionsPerTurn", actionsPerTurn);
    atLeastOne("actions", actions);
    atLeastOne("responseTokens", responseTokens);
    InvalidInputException.require(
        Double.isFinite(formatPenalty),
        "environment.loop.formatPenalty",
        formatPenalty,
        "a finite number");
  }

  private static void atLeastOne(String key, int value) {
    InvalidInputException.require(value > 0, "environment.loop." + key, value, "at least 1");
  }

  /** What rules are fingerprinted by. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("loop", 1)
        .with("turns", turns)
        .with("actionsPerTurn", actionsPerTurn)
        .with("actions", actions)
        .with("thought", thought)
        .with("responseTokens", responseTokens);
  }
}
