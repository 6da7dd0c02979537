package org.vstar.model.advantage;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the sum of the squared distances from a mean is divided by. */
public enum Deviation {
  /** n − 1; one number has none. */
  @JsonProperty("sample")
  SAMPLE,
  /** n. */
  @JsonProperty("population")
  POPULATION;

  /** As configs write it. */
  public String word() {
    return this == SAMPLE ? "sample" : "population";
  }
}
