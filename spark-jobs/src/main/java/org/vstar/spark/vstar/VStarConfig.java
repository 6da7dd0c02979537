package org.vstar.spark.vstar;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.InputError;

/**
 * What the V* job measures.
 *
 * @param samples N, rollouts of the reference policy per task
 * @param beta1 β₁ of the estimate; 0 is the mean return
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 */
public record VStarConfig(
    @JsonProperty(required = true) int samples,
    @JsonProperty(required = true) double beta1,
    @JsonProperty(required = true) int tasksPerUnit,
    @JsonProperty(required = true) int slots) {

  public VStarConfig {
    InputError.require(samples > 0, "vstar.samples", samples, "at least 1");
    InputError.require(beta1 >= 0, "vstar.beta1", beta1, "0 (the mean return) or more");
    InputError.require(tasksPerUnit > 0, "vstar.tasksPerUnit", tasksPerUnit, "at least 1");
    InputError.require(slots > 0, "vstar.slots", slots, "at least 1");
  }
}
