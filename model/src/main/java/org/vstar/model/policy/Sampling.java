package org.vstar.model.policy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import org.vstar.env.ContentHash;
import org.vstar.env.InputError;
import org.vstar.model.transformer.Sampler;

/**
 * How answers are sampled.
 *
 * @param temperature 0 for greedy
 * @param topP nucleus, 1 for all
 * @param maxTokensPerTurn an answer is cut here
 * @param think whether answers have a thought
 * @param constrain whether only well-formed answers with legal actions can be sampled
 */
public record Sampling(
    @JsonProperty(required = true) double temperature,
    @JsonProperty(required = true) double topP,
    @JsonProperty(required = true) int maxTokensPerTurn,
    @JsonProperty(required = true) boolean think,
    @JsonProperty(required = true) boolean constrain)
    implements Serializable {

  public Sampling {
    InputError.require(temperature >= 0, "sampling.temperature", temperature, "0 or more");
    InputError.require(topP > 0 && topP <= 1, "sampling.topP", topP, "more than 0, at most 1");
    InputError.require(
        maxTokensPerTurn > 0, "sampling.maxTokensPerTurn", maxTokensPerTurn, "at least 1");
  }

  /** The same, but always the most likely token. */
  public Sampling greedy() {
    return new Sampling(0, 1, maxTokensPerTurn, think, constrain);
  }

  public Sampler sampler() {
    return new Sampler(temperature, topP);
  }

  public String fingerprint() {
    return new ContentHash().add(toString()).hex();
  }
}
