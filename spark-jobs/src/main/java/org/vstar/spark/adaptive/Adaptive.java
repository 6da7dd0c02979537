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
 */
public record Adaptive(ReturnScale scale, List<ValuePosterior> posteriors) {

  /** A prediction is worth at least so many samples, and at most so many. */
  private static final double LEAST_WORTH = 0.5;

  private static final double MOST_WORTH = 50;

  /** Learns from all samples there are. */
  public static Adaptive of(List<TaskSamples> tasks, ReturnScale scale, TaskPredictor predictor) {
    // Where all returns are the same there is nothing to predict.
    double[] predicted = scale.isPoint() ? new double[tasks.size()] : predictor.predict(tasks);
    double worth = worth(tasks, predicted);
    List<ValuePosterior> posteriors = new ArrayList<>();
    for (int i = 0; i < predicted.length; i++) {
      TaskSamples task = tasks.get(i);
      posteriors.add(ValuePosterior.of(scale, predicted[i], worth, task.samples(), task.weights()));
    }
    return new Adaptive(scale, posteriors);
  }

  /**
   * How many samples a prediction is worth: the beta-binomial model's, by moments. Its variance of
   * a mean of n samples is m(1 − m)(1 + (n − 1)ρ)/n with ρ = 1/(worth + 1). With one sample of each
   * task nothing can be said of ρ; a prediction is then worth as little as it may.
   */
  static double worth(List<TaskSamples> tasks, double[] predicted) {
    double between = 0;
    double possible = 0;
    for (int i = 0; i < predicted.length; i++) {
      double n = tasks.get(i).samples();
      if (n > 0) {
        double spread = predicted[i] * (1 - predicted[i]);
        double miss = tasks.get(i).mean() - predicted[i];
        between += miss * miss - spread / n;
        possible += spread * (1 - 1 / n);
      }
    }
    if (possible == 0) {
      return LEAST_WORTH;
    }
    double worth = possible / Math.max(between, 1e-9 * possible) - 1;
    return Math.max(LEAST_WORTH, Math.min(MOST_WORTH, worth));
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
        (task, samples) -> ValuePosterior.expectedError(scale, points[task], samples),
        counts,
        budget,
        most);
  }
}
