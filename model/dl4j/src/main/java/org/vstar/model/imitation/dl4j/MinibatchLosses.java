package org.vstar.model.imitation.dl4j;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.util.CollectionAccumulator;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.optimize.api.BaseTrainingListener;

/**
 * The losses of the minibatches of a round, brought from the executors: DL4J itself keeps the last
 * one of each replica. A task that Spark repeats is counted once, and the sum has one order.
 */
final class MinibatchLosses extends BaseTrainingListener implements Serializable {

  private static final long serialVersionUID = 1L;

  private record Loss(int replica, int step, double value) implements Serializable {}

  private final CollectionAccumulator<Loss> losses;

  MinibatchLosses(SparkContext sc) {
    this.losses = sc.collectionAccumulator("losses of a round of imitation");
  }

  @Override
  public void iterationDone(Model model, int iteration, int epoch) {
    losses.add(new Loss(TaskContext.getPartitionId(), iteration, model.score()));
  }

  void clear() {
    losses.reset();
  }

  /** The mean since it was cleared; NaN if there was no minibatch. */
  double mean() {
    Map<Integer, Map<Integer, Double>> byReplica = new TreeMap<>();
    for (Loss loss : losses.value()) {
      byReplica.computeIfAbsent(loss.replica, r -> new TreeMap<>()).put(loss.step, loss.value);
    }
    return byReplica.values().stream()
        .flatMap(steps -> steps.values().stream())
        .mapToDouble(Double::doubleValue)
        .average()
        .orElse(Double.NaN);
  }
}
