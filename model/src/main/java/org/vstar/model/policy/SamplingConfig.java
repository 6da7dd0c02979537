package org.vstar.model.policy;

import java.io.Serializable;
import java.util.BitSet;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Generator.Choice;

/**
 * How answers are sampled.
 *
 * @param temperature 0 for greedy
 * @param topP nucleus, 1 for all
 * @param maxTokensPerTurn an answer is cut here
 * @param think whether answers have a thought
 * @param constrain whether only well-formed answers with legal actions can be sampled
 */
public record SamplingConfig(
    double temperature, double topP, int maxTokensPerTurn, boolean think, boolean constrain)
    implements Serializable {

  /** Checks the ranges. */
  public SamplingConfig {
    InvalidInputException.require(
        temperature >= 0, "sampling.temperature", temperature, "0 or more");
    InvalidInputException.require(
        topP > 0 && topP <= 1, "sampling.topP", topP, "more than 0, at most 1");
    InvalidInputException.require(
        maxTokensPerTurn > 0, "sampling.maxTokensPerTurn", maxTokensPerTurn, "at least 1");
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
    return new SamplingConfig(0, 1, maxTokensPerTurn, think, constrain);
  }

  /** How to draw one token. */
  public Choice choice(double u, BitSet allowed) {
    return new Choice(u, allowed, temperature, topP);
  }

  /** Content hash of all of it. */
  public String fingerprint() {
    return CanonicalJson.of("sampling", 1)
        .with("temperature", temperature)
        .with("topP", topP)
        .with("maxTokensPerTurn", maxTokensPerTurn)
        .with("think", think)
        .with("constrain", constrain)
        .fingerprint();
  }
}
