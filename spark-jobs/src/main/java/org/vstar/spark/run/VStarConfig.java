package org.vstar.spark.run;

import org.vstar.common.InvalidInputException;

/**
 * What the V* job measures.
 *
 * @param samples N, rollouts of the reference policy per task
 * @param beta1 β₁ of the estimate; 0 is the mean return
 * @param maxFailures episodes whose environment may fail before the job gives up; the tasks of
 *     those that did have no V*
 * @param tasksPerUnit tasks of a unit of work; does not change results
 * @param slots episodes side by side on an executor core; does not change results
 */
public record VStarConfig(int samples, double beta1, int maxFailures, int tasksPerUnit, int slots) {

  private static final int MOST_SAMPLES = 1 << 16;

  /** Checks the ranges. */
  public VStarConfig {
    InvalidInputException.require(
        samples > 0 && samples <= MOST_SAMPLES, "vstar.samples", samples, "1 to " + MOST_SAMPLES);
    InvalidInputException.require(maxFailures >= 0, "vstar.maxFailures", maxFailures, "0 or more");
    InvalidInputException.require(beta1 >= 0, "vstar.beta1", beta1, "0 (the mean return) or more");
    InvalidInputException.require(
        tasksPerUnit > 0, "vstar.tasksPerUnit", tasksPerUnit, "at least 1");
    InvalidInputException.require(slots > 0, "vstar.slots", slots, "at least 1");
  }
}
