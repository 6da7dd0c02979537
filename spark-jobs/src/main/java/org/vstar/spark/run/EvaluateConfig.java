package org.vstar.spark.run;

import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * How policies are evaluated: on all validation tasks, or with {@code --final} on all test tasks.
 *
 * @param trainTasks how many train tasks policies play too, greedily and without variations, to see
 *     how much better they are on what they were trained on; none without it
 * @param samplesPerTask episodes per task where answers are sampled (greedy needs one)
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 */
public record EvaluateConfig(
    @OptionalKey Integer trainTasks, int samplesPerTask, int tasksPerUnit, int slots) {

  /** Checks the ranges. */
  public EvaluateConfig {
    trainTasks = trainTasks == null ? 0 : trainTasks;
    InvalidInputException.require(trainTasks >= 0, "evaluate.trainTasks", trainTasks, "at least 0");
    InvalidInputException.require(
        samplesPerTask > 0, "evaluate.samplesPerTask", samplesPerTask, "at least 1");
    InvalidInputException.require(
        tasksPerUnit > 0, "evaluate.tasksPerUnit", tasksPerUnit, "at least 1");
    InvalidInputException.require(slots > 0, "evaluate.slots", slots, "at least 1");
  }
}
