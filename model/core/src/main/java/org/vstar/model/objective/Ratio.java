package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** What the ratio ρ of the policy to the one that sampled is taken of. */
public enum Ratio {
  /** Of each token. */
  @JsonProperty("token")
  TOKEN,
  /** Of the trajectory: exp of the mean of ln π/π_old over its tokens (GSPO, arXiv 2507.18071). */
  @JsonProperty("sequence-mean")
  SEQUENCE_MEAN,
  /** Of the trajectory: exp of the sum, which has one loss then (TRL's RLOO). */
  @JsonProperty("sequence-sum")
  SEQUENCE_SUM;

  /** As configs write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
