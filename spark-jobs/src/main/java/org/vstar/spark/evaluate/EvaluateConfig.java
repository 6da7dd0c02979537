package org.vstar.spark.evaluate;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.InputError;

/**
 * How policies are evaluated: on all test tasks, always.
 *
 * @param samplesPerTask episodes per task where answers are sampled (greedy needs one)
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 */
public record EvaluateConfig(
    @JsonProperty(required = true) int samplesPerTask,
    @JsonProperty(required = true) int tasksPerUnit,
    @JsonProperty(required = true) int slots) {

  public EvaluateConfig {
    InputError.require(samplesPerTask > 0, "evaluate.samplesPerTask", samplesPerTask, "at least 1");
    InputError.require(tasksPerUnit > 0, "evaluate.tasksPerUnit", tasksPerUnit, "at least 1");
    InputError.require(slots > 0, "evaluate.slots", slots, "at least 1");
  }
}
