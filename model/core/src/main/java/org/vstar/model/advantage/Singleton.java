package org.vstar.model.advantage;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The advantage of a trajectory whose task was played once, which a group says nothing of. */
public enum Singleton {
  /** Its return, as in verl. */
  @JsonProperty("return")
  RETURN,
  /** 0, as in TRL. */
  @JsonProperty("zero")
  ZERO;

  /** As configs write it. */
  public String word() {
    return this == RETURN ? "return" : "zero";
  }
}
