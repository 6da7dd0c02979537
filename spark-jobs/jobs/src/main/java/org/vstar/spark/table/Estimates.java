package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.vstar.env.Split;
import org.vstar.model.value.ValueEstimate;
import org.vstar.model.value.ValueInterval;

/**
 * Rows of {@code vstar} from rows of {@code samples}. Executors estimate; the driver sees no
 * sample.
 *
 * <p>Returns are summed in the order of their samples, so that the numbers are the same to the last
 * bit however the samples are stored. A sample that is there twice counts once.
 *
 * @param beta1 β₁
 * @param fingerprints what the samples were drawn under, and scored
 * @param runId content hash of all that the estimates depend on
 */
record Estimates(double beta1, Fingerprints fingerprints, String runId) implements Serializable {

  /**
   * The estimates of all train tasks that have as many samples as they should.
   *
   * @param tasks rows of {@code tasks}
   * @param samples rows of {@code samples}: task_id, sample_index, return, success
   */
  Dataset<Row> of(Dataset<Row> tasks, Dataset<Row> samples, WantedSamples wanted) {
    Dataset<Row> first = wanted.of(samples);
    Row ends = first.agg(min("return"), max("return")).first();
    double lowest = ends.isNullAt(0) ? 0 : ends.getDouble(0);
    double highest = ends.isNullAt(1) ? 0 : ends.getDouble(1);
    Dataset<Row> taken =
        first
            .groupBy("task_id")
            .agg(sort_array(collect_list(struct("sample_index", "return", "success"))).as("taken"));
    return tasks
        .sparkSession()
        .createDataFrame(
            tasks
                .where(col("split").equalTo(Split.TRAIN.word()))
                .join(taken, "task_id")
                .join(wanted.tasks(), "task_id")
                .select(
                    "task_id", "environment", "split", "prompt", "taken", "v_star_shrunk", "wanted")
                .javaRDD()
                .flatMap(task -> row(task, lowest, highest)),
            Columns.VSTAR);
  }

  /**
   * The estimate of a task from what was taken of it: (sample_index, return, success) in order.
   * None if that is less than was wanted.
   *
   * @param lowest of all returns
   * @param highest of all returns
   */
  private Iterator<Row> row(Row task, double lowest, double highest) {
    List<Double> taken = new ArrayList<>();
    int successes = 0;
    int last = -1;
    for (Row sample : task.<Row>getList(4)) {
      if (sample.getInt(0) > last) {
        taken.add(sample.getDouble(1));
        successes += sample.getBoolean(2) ? 1 : 0;
        last = sample.getInt(0);
      }
    }
    if (taken.size() != task.getInt(6)) {
      return Collections.emptyIterator();
    }
    double[] returns = taken.stream().mapToDouble(Double::doubleValue).toArray();
    ValueEstimate v = ValueEstimate.of(returns, beta1);
    ValueInterval interval = ValueInterval.of(returns, beta1, lowest, highest);
    return List.of(values(task, returns, successes, v, interval)).iterator();
  }

  private Row values(
      Row task, double[] returns, int successes, ValueEstimate v, ValueInterval interval) {
    return RowFactory.create(
        task.getString(0),
        task.getString(1),
        task.getString(2),
        task.getString(3),
        beta1,
        v.vStar(),
        v.standardError(),
        interval.low(),
        interval.high(),
        v.bias(beta1),
        task.get(5),
        v.n(),
        v.mean(),
        v.standardDeviation(),
        v.max(),
        Arrays.stream(returns).allMatch(r -> r == v.max()),
        successes / (double) v.n(),
        v.effectiveSampleSize(),
        fingerprints.policy(),
        fingerprints.environment(),
        fingerprints.reward(),
        fingerprints.sampling(),
        runId);
  }
}
