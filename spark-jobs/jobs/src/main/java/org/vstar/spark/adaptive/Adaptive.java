package org.vstar.spark.adaptive;

import java.util.ArrayList;
import java.util.List;
import org.vstar.model.value.ReturnScale;
import org.vstar.model.value.SampleAllocation;
import org.vstar.model.value.ValuePosterior;

/**
 * What is believed of each task after some samples: the prediction of {@link TaskPredictor}, moved
 * by the task's own samples.
 *
 * @param scale of the run
 * @param posteriors of each task
 * @param grading how many samples of 0 or 1 a graded one is worth, at least 1
 */
public record Adaptive(ReturnScale scale, List<ValuePosterior> posteriors, double grading) {

  /** A prediction is worth at least so many samples, and at most so many. */
  private static final double LEAST_WORTH = 0.5;

  private static final double MOST_WORTH = 50;

  /** A sample says at most so much more than one of 0 or 1. */
  private static final double MOST_GRADING = 100;

  /** Learns from all samples there are. */
  public static Adaptive of(List<TaskSamples> tasks, ReturnScale scale, TaskPredictor predictor) {
    // Where all returns are the same there is nothing to predict.
    double[] predicted = scale.isPoint() ? new double[tasks.size()] : predictor.predict(tasks);
    Moments moments = Moments.of(tasks, predicted);
    List<ValuePosterior> posteriors = new ArrayList<>();
    for (int i = 0; i < predicted.length; i++) {
      TaskSamples task = tasks.get(i);
      posteriors.add(
          ValuePosterior.of(
              scale,
              predicted[i],
              moments.grading * moments.worth,
              moments.grading * task.samples(),
              moments.grading * task.weights()));
    }
    return new Adaptive(scale, posteriors, moments.grading);
  }

  /**
   * How a task's samples scatter, and how its mean scatters about the prediction.
   *
   * @param worth how many samples a prediction is worth: the variance of one sample about the mean
   *     of its task, over the variance of the tasks' means about their predictions. For weights of
   *     0 and 1 it is the prior sample size of the beta-binomial model
   * @param grading the variance that a sample of 0 or 1 with the task's mean would have, over the
   *     variance that it has: 1 for weights of 0 and 1, more for graded ones, each of which says as
   *     much as so many of 0 and 1
   */
  record Moments(double worth, double grading) {

    /** Tasks with one sample say nothing of the scatter; a prediction is then worth least. */
    static Moments of(List<TaskSamples> tasks, double[] predicted) {
      double own = 0;
      double binary = 0;
      double freedom = 0;
      for (TaskSamples task : tasks) {
        if (task.samples() > 1) {
          double n = task.samples();
          double mean = task.mean();
          own += (n - 1) * task.variance();
          binary += (n - 1) * (mean * (1 - mean) + task.variance() / n);
          freedom += n - 1;
        }
      }
      if (own <= 0) {
        return new Moments(LEAST_WORTH, 1);
      }
      double within = own / freedom;
      double between = 0;
      int seen = 0;
      for (int i = 0; i < predicted.length; i++) {
        TaskSamples task = tasks.get(i);
        if (task.samples() > 0) {
          double miss = task.mean() - predicted[i];
          between += miss * miss - within / task.samples();
          seen++;
        }
      }
      double worth = within / Math.max(between / seen, 1e-9 * within);
      return new Moments(
          Math.max(LEAST_WORTH, Math.min(MOST_WORTH, worth)),
          Math.max(1, Math.min(MOST_GRADING, binary / own)));
    }
  }

  /** Between whole numbers of samples of 0 or 1 on the straight line, so that gains fall evenly. */
  private double expectedError(double[] points, double samples) {
    int below = (int) Math.floor(samples);
    double error = ValuePosterior.expectedError(scale, points, below);
    double above = samples - below;
    return above == 0
        ? error
        : (1 - above) * error + above * ValuePosterior.expectedError(scale, points, below + 1);
  }

  /**
   * How many samples each task has after the next round.
   *
   * @param counts what each should have by now; some may be missing
   * @param budget samples of the round
   * @param most what one task may have
   */
  public int[] allocate(int[] counts, long budget, int most) {
    double[][] points = posteriors.stream().map(ValuePosterior::points).toArray(double[][]::new);
    return SampleAllocation.allocate(
        (task, samples) -> expectedError(points[task], grading * samples), counts, budget, most);
  }
}
