package org.vstar.spark.run;

import java.util.HashSet;
import java.util.List;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.model.policy.BeamConfig;

/**
 * How policies are evaluated: on all validation tasks, or with {@code --final} on all test tasks.
 *
 * @param trainTasks how many train tasks policies play too, greedily and without variations, to see
 *     how much better they are on what they were trained on
 * @param temperatures what answers are sampled at beside {@code sampling.temperature}; results call
 *     them "at 0.5"
 * @param beams searches for answers too, besides sampling them and taking the likeliest tokens; one
 *     episode per task
 * @param samplesPerTask episodes per task where answers are sampled, at each temperature (greedy
 *     needs one)
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 */
public record EvaluateConfig(
    @Default("0") int trainTasks,
    @Default("[]") List<Double> temperatures,
    @OptionalKey BeamConfig beams,
    @Default("4") int samplesPerTask,
    @Default("25") int tasksPerUnit,
    @Default("64") int slots) {

  /** Checks the ranges. */
  public EvaluateConfig {
    InvalidInputException.require(trainTasks >= 0, "evaluate.trainTasks", trainTasks, "at least 0");
    InvalidInputException.require(
        temperatures.stream().allMatch(t -> t != null && t > 0 && Double.isFinite(t))
            && new HashSet<>(temperatures).size() == temperatures.size(),
        "evaluate.temperatures",
        temperatures,
        "numbers above 0, each once");
    temperatures = List.copyOf(temperatures);
    InvalidInputException.require(
        samplesPerTask > 0, "evaluate.samplesPerTask", samplesPerTask, "at least 1");
    InvalidInputException.require(
        tasksPerUnit > 0, "evaluate.tasksPerUnit", tasksPerUnit, "at least 1");
    InvalidInputException.require(slots > 0, "evaluate.slots", slots, "at least 1");
  }
}
