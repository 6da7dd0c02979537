package org.vstar.spark.adaptive;

/**
 * A task, and what its samples gave so far.
 *
 * @param taskId its id
 * @param category the kind of task
 * @param prompt its first observation
 * @param samples how many there are
 * @param weights the sum of their weights, each 0 to 1
 */
public record TaskSamples(
    String taskId, String category, String prompt, int samples, double weights) {

  /** The mean weight. */
  double mean() {
    return samples == 0 ? 0 : weights / samples;
  }
}
