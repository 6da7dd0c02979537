package org.vstar.spark.adaptive;

import org.vstar.env.Task;

/**
 * A task, and what its samples gave so far.
 *
 * @param task what was sampled
 * @param samples how many there are
 * @param weights the sum of their weights, each 0 to 1
 * @param squares the sum of the squares of their weights; equal to {@code weights} where each is 0
 *     or 1
 */
public record TaskSamples(Task task, int samples, double weights, double squares) {

  /** The mean weight. */
  double mean() {
    return samples == 0 ? 0 : weights / samples;
  }

  /** The unbiased variance of one sample's weight; needs two samples. */
  double variance() {
    return Math.max(0, squares - samples * mean() * mean()) / (samples - 1);
  }
}
