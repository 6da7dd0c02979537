package org.vstar.model.policy;

import java.io.Serializable;
import java.util.BitSet;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.model.engine.Generator.Choice;

/**
 * How answers are sampled.
 *
 * @param temperature 0 for greedy
 * @param topP nucleus, 1 for all
 * @param maxTokensPerTurn an answer is cut here
 * @param think whether answers have a thought
 * @param constrain whether only well-formed answers with legal actions can be sampled
 * @param maxTokens most tokens that a policy sees of an episode; as many as the model's context has
 *     without it
 * @param lastTurns latest turns that a policy sees, the current one included, after the episode's
 *     first observation, which states the task; all turns without it
 * @param noRepeat no n-gram of this length may repeat within an answer; without it, repetition is
 *     not limited
 * @param stopAtAction whether an answer is over where its action is closed, as at {@code
 *     </answer>}; without it, where the policy ends it
 */
public record SamplingConfig(
    @Default("1.0") double temperature,
    @Default("1.0") double topP,
    int maxTokensPerTurn,
    @Default("true") boolean think,
    @Default("false") boolean constrain,
    @OptionalKey Integer maxTokens,
    @OptionalKey Integer lastTurns,
    @OptionalKey Integer noRepeat,
    @Default("false") boolean stopAtAction)
    implements Serializable {

  /** Checks the ranges. */
  public SamplingConfig {
    InvalidInputException.require(
        temperature >= 0, "sampling.temperature", temperature, "0 or more");
    InvalidInputException.require(
        topP > 0 && topP <= 1, "sampling.topP", topP, "more than 0, at most 1");
    InvalidInputException.require(
        maxTokensPerTurn > 0, "sampling.maxTokensPerTurn", maxTokensPerTurn, "at least 1");
    InvalidInputException.require(
        maxTokens == null || maxTokens > maxTokensPerTurn,
        "sampling.maxTokens",
        maxTokens,
        "more than sampling.maxTokensPerTurn, " + maxTokensPerTurn);
    InvalidInputException.require(
        lastTurns == null || lastTurns > 0, "sampling.lastTurns", lastTurns, "at least 1");
    InvalidInputException.require(
        noRepeat == null || noRepeat > 1, "sampling.noRepeat", noRepeat, "at least 2");
  }

  /** The whole of episodes as long as the model's context. */
  public SamplingConfig(
      double temperature, double topP, int maxTokensPerTurn, boolean think, boolean constrain) {
    this(temperature, topP, maxTokensPerTurn, think, constrain, null, null, null, false);
  }

  /** How many tokens an episode may have with a model of some context. */
  public int tokenBudget(int context) {
    return maxTokens == null ? context : Math.min(context, maxTokens);
  }

  /** Whether a turn begins on what came before it, and not on a window of the last turns. */
  public boolean appends(int turn) {
    return lastTurns == null || turn < lastTurns;
  }

  /**
   * Refuses what is not the policy itself: V* is a property of the policy that is scored, and so is
   * the gradient.
   *
   * @param use what it is for, for the message
   */
  public void requirePolicy(String use) {
    InvalidInputException.require(
        temperature > 0,
        "sampling.temperature",
        temperature,
        "more than 0 for " + use + ": a greedy policy has no density");
    InvalidInputException.require(
        topP == 1,
        "sampling.topP",
        topP,
        "1 for " + use + ": a cut distribution is not the policy that is scored");
  }

  /** The same, but always the most likely token. */
  public SamplingConfig greedy() {
    return drawn(0, 1);
  }

  /** The same at another temperature. */
  public SamplingConfig at(double temperature) {
    return drawn(temperature, topP);
  }

  private SamplingConfig drawn(double temperature, double topP) {
    return new SamplingConfig(
        temperature,
        topP,
        maxTokensPerTurn,
        think,
        constrain,
        maxTokens,
        lastTurns,
        noRepeat,
        stopAtAction);
  }

  /** How to draw one token. */
  public Choice choice(double u, BitSet allowed) {
    return new Choice(u, allowed, temperature, topP);
  }

  /** Content hash of all of it. */
  public String fingerprint() {
    CanonicalJson canonical =
        CanonicalJson.of("sampling", 2)
            .with("temperature", temperature)
            .with("topP", topP)
            .with("maxTokensPerTurn", maxTokensPerTurn)
            .with("think", think)
            .with("constrain", constrain);
    if (maxTokens != null) {
      canonical.with("maxTokens", maxTokens);
    }
    if (lastTurns != null) {
      canonical.with("lastTurns", lastTurns);
    }
    if (noRepeat != null) {
      canonical.with("noRepeat", noRepeat);
    }
    if (stopAtAction) {
      canonical.with("stopAtAction", true);
    }
    return canonical.fingerprint();
  }
}
