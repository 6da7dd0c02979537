package org.vstar.spark.run;

import java.util.HashSet;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * How policies are evaluated: on all validation tasks, or with {@code --final} on all test tasks.
 *
 * @param trainTasks how many train tasks policies play too, greedily and without variations, to see
 *     how much better they are on what they were trained on; none without it
 * @param temperatures what answers are sampled at beside {@code sampling.temperature}; results call
 *     them "at 0.5"; none without it
 * @param samplesPerTask episodes per task where answers are sampled, at each temperature (greedy
 *     needs one)
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 */
public record EvaluateConfig(
    @OptionalKey Integer trainTasks,
    @OptionalKey List<Double> temperatures,
    int samplesPerTask,
    int tasksPerUnit,
    int slots) {

  /** Checks the ranges. */
  public EvaluateConfig {
    trainTasks = trainTasks == null ? 0 : trainTasks;
    InvalidInputException.require(trainTasks >= 0, "evaluate.trainTasks", trainTasks, "at least 0");
    List<Double> others = temperatures == null ? List.of() : temperatures;
    InvalidInputException.require(
        others.stream().allMatch(t -> t != null && t > 0 && Double.isFinite(t))
            && new HashSet<>(others).size() == others.size(),
        "evaluate.temperatures",
        others,
        "numbers above 0, each once");
    temperatures = List.copyOf(others);
    InvalidInputException.require(
        samplesPerTask > 0, "evaluate.samplesPerTask", samplesPerTask, "at least 1");
    InvalidInputException.require(
        tasksPerUnit > 0, "evaluate.tasksPerUnit", tasksPerUnit, "at least 1");
    InvalidInputException.require(slots > 0, "evaluate.slots", slots, "at least 1");
  }
}
