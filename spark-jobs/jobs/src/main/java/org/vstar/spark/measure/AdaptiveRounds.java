package org.vstar.spark.measure;

import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Task;
import org.vstar.model.value.ReturnScale;
import org.vstar.spark.adaptive.Adaptive;
import org.vstar.spark.adaptive.TaskPredictor;
import org.vstar.spark.adaptive.TaskSamples;
import org.vstar.spark.run.VStarConfig;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.WantedSamples;
import scala.Tuple2;

/**
 * The rounds of an adaptive V* job. What a round gives out depends on the samples that the round
 * before wanted, and on no others that may be there: so a job that was killed and goes on, or whose
 * tables have more samples, takes the same.
 */
record AdaptiveRounds(
    List<Task> tasks, VStarConfig config, Tables tables, TaskPredictor predictor) {

  /**
   * The first round.
   *
   * @throws InvalidInputException if the budget is too small for it
   */
  int[] first() {
    int each = config.adaptive().firstSamples();
    long needed = (long) each * tasks.size();
    InvalidInputException.require(
        config.adaptive().totalBudget() >= needed,
        "vstar.adaptive.totalBudget",
        config.adaptive().totalBudget(),
        String.format(
            Locale.ROOT,
            "%d or more: %d first samples of each of %d tasks",
            needed,
            each,
            tasks.size()));
    int[] counts = new int[tasks.size()];
    Arrays.fill(counts, each);
    return counts;
  }

  /**
   * A later round.
   *
   * @param counts what each task has after the round before
   * @param round from 1
   */
  int[] next(int[] counts, int round) {
    long left = config.adaptive().totalBudget() - Arrays.stream(counts).asLongStream().sum();
    int rounds = config.adaptive().rounds() - round + 1;
    return believed(counts).allocate(counts, left / rounds, config.samples());
  }

  /** What all rounds have given out, and what is believed after the last. */
  WantedSamples wanted(int[] counts) {
    Adaptive believed = believed(counts);
    Map<String, Double> shrunk = new HashMap<>();
    for (int i = 0; i < tasks.size(); i++) {
      shrunk.put(tasks.get(i).id(), believed.posteriors().get(i).vStar());
    }
    return WantedSamples.of(tables.spark(), byTask(counts), shrunk);
  }

  private Map<String, Integer> byTask(int[] counts) {
    Map<String, Integer> wanted = new HashMap<>();
    for (int i = 0; i < counts.length; i++) {
      wanted.put(tasks.get(i).id(), counts[i]);
    }
    return wanted;
  }

  private Adaptive believed(int[] counts) {
    Dataset<Row> taken =
        WantedSamples.of(tables.spark(), byTask(counts), Map.of()).of(tables.samples());
    Row ends = taken.agg(min("return"), max("return")).first();
    ReturnScale scale = new ReturnScale(config.beta1(), ends.getDouble(0), ends.getDouble(1));
    Map<String, double[]> sums = sums(taken, scale);
    List<TaskSamples> samples = new ArrayList<>();
    for (Task task : tasks) {
      double[] of = sums.getOrDefault(task.id(), new double[3]);
      samples.add(new TaskSamples(task, (int) of[0], of[1], of[2]));
    }
    return Adaptive.of(samples, scale, predictor);
  }

  /** How many samples each task has, the sum of their weights and that of the weights' squares. */
  private static Map<String, double[]> sums(Dataset<Row> taken, ReturnScale scale) {
    Map<String, double[]> sums = new HashMap<>();
    taken
        .groupBy("task_id")
        .agg(sort_array(collect_list(struct("sample_index", "return"))).as("taken"))
        .javaRDD()
        .mapToPair(row -> sum(row, scale))
        .collect()
        .forEach(of -> sums.put(of._1, of._2));
    return sums;
  }

  /** A sample that is there twice counts once. */
  private static Tuple2<String, double[]> sum(Row task, ReturnScale scale) {
    double[] sum = new double[3];
    int last = -1;
    for (Row sample : task.<Row>getList(1)) {
      if (sample.getInt(0) > last) {
        last = sample.getInt(0);
        sum[0]++;
        double weight = scale.isPoint() ? 0 : scale.weight(sample.getDouble(1));
        sum[1] += weight;
        sum[2] += weight * weight;
      }
    }
    return new Tuple2<>(task.getString(0), sum);
  }
}
