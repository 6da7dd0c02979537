package org.vstar.spark.bench;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.value.ReturnScale;
import org.vstar.model.value.ValueEstimate;
import org.vstar.spark.adaptive.Adaptive;
import org.vstar.spark.adaptive.TaskPredictor;
import org.vstar.spark.adaptive.TaskSamples;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Tables;

/**
 * How far V̂* is from V* when samples go where they help, and when each task gets as many: at the
 * same number of samples, taken from those that a run has stored. Of these, one block of a task's
 * samples after the other is what can be taken, and all the others are what V* is estimated from.
 */
public final class AdaptiveSampling {

  private final List<TaskSamples> tasks = new ArrayList<>();
  private final List<double[]> returns = new ArrayList<>();
  private final ReturnScale scale;
  private final TaskPredictor predictor;

  private AdaptiveSampling(List<Row> rows, double beta1, TaskPredictor predictor) {
    this.predictor = predictor;
    for (Row row : rows) {
      String id = row.getString(0);
      Task task =
          new Task(id, "", Split.TRAIN, row.getString(2), row.getString(1), row.getString(4));
      tasks.add(new TaskSamples(task, 0, 0, 0));
      returns.add(
          row.<Row>getList(3).stream().mapToDouble(sample -> sample.getDouble(1)).toArray());
    }
    double[] all = returns.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
    scale = new ReturnScale(beta1, all[0], all[all.length - 1]);
  }

  /**
   * Prints a line for each block.
   *
   * @param args the run's folder, β₁, N of the comparison, samples of the first round, rounds, most
   *     samples of a task, which is the size of a block too
   */
  public static void main(String[] args) throws IOException {
    try (SparkSession spark = SparkSession.builder().appName("adaptive sampling").getOrCreate()) {
      RunFolder run = new RunFolder(Store.open(args[0]));
      Tables tables = new Tables(spark, run.store());
      List<Row> rows =
          tables
              .samples()
              .groupBy("task_id")
              .agg(sort_array(collect_list(struct("sample_index", "return"))).as("taken"))
              .join(tables.tasks(), "task_id")
              .select("task_id", "category", "prompt", "taken", "cluster")
              .orderBy(col("task_id"))
              .collectAsList();
      new AdaptiveSampling(rows, Double.parseDouble(args[1]), new TaskPredictor(spark))
          .compare(
              Integer.parseInt(args[2]),
              Integer.parseInt(args[3]),
              Integer.parseInt(args[4]),
              Integer.parseInt(args[5]));
    }
  }

  private void compare(int n, int first, int rounds, int most) {
    int blocks = returns.get(0).length / most - 1;
    for (int block = 0; block < blocks; block++) {
      double[] truth = truth(block * most, most);
      int[] uniform = new int[tasks.size()];
      Arrays.fill(uniform, n);
      int[] counts = new int[tasks.size()];
      Arrays.fill(counts, first);
      long left = (long) (n - first) * counts.length;
      for (int round = rounds; round > 0; round--) {
        counts = believed(block * most, counts).allocate(counts, left / round, most);
        left = (long) n * counts.length - Arrays.stream(counts).asLongStream().sum();
      }
      System.out.printf(
          Locale.ROOT,
          "block %d, %d samples: RMSE uniform %.4f, shrunk %.4f; adaptive %.4f, shrunk %.4f;"
              + " counts %s%n",
          block,
          (long) n * counts.length,
          rmse(estimates(block * most, uniform), truth),
          rmse(shrunk(block * most, uniform), truth),
          rmse(estimates(block * most, counts), truth),
          rmse(shrunk(block * most, counts), truth),
          quantiles(counts));
    }
  }

  private static String quantiles(int[] counts) {
    int[] sorted = Arrays.stream(counts).sorted().toArray();
    int last = sorted.length - 1;
    return String.format(
        Locale.ROOT,
        "%d – %d – %d – %d – %d",
        sorted[0],
        sorted[last / 4],
        sorted[last / 2],
        sorted[3 * last / 4],
        sorted[last]);
  }

  private double[] truth(int from, int size) {
    double[] truth = new double[tasks.size()];
    for (int t = 0; t < truth.length; t++) {
      double[] of = returns.get(t);
      double[] others = new double[of.length - size];
      System.arraycopy(of, 0, others, 0, from);
      System.arraycopy(of, from + size, others, from, of.length - from - size);
      truth[t] = ValueEstimate.of(others, scale.beta1()).vStar();
    }
    return truth;
  }

  private double[] estimates(int from, int[] counts) {
    double[] estimates = new double[counts.length];
    for (int t = 0; t < counts.length; t++) {
      double[] taken = Arrays.copyOfRange(returns.get(t), from, from + counts[t]);
      estimates[t] = ValueEstimate.of(taken, scale.beta1()).vStar();
    }
    return estimates;
  }

  private double[] shrunk(int from, int[] counts) {
    return believed(from, counts).posteriors().stream().mapToDouble(p -> p.vStar()).toArray();
  }

  private Adaptive believed(int from, int[] counts) {
    List<TaskSamples> taken = new ArrayList<>();
    for (int t = 0; t < counts.length; t++) {
      double weights = 0;
      double squares = 0;
      for (int i = from; i < from + counts[t]; i++) {
        double weight = scale.weight(returns.get(t)[i]);
        weights += weight;
        squares += weight * weight;
      }
      taken.add(new TaskSamples(tasks.get(t).task(), counts[t], weights, squares));
    }
    return Adaptive.of(taken, scale, predictor);
  }

  private static double rmse(double[] found, double[] truth) {
    double sum = 0;
    for (int i = 0; i < found.length; i++) {
      sum += (found[i] - truth[i]) * (found[i] - truth[i]);
    }
    return Math.sqrt(sum / found.length);
  }
}
