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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Split;
import org.vstar.model.value.ValueEstimate;
import org.vstar.model.value.ValueInterval;

/**
 * The table {@code vstar}: what each train task is worth under the reference policy.
 *
 * @param tables where it is
 */
public record VStarTable(Tables tables) {

  static final StructType COLUMNS =
      new StructType()
          .add("task_id", DataTypes.StringType, false)
          .add("environment", DataTypes.StringType, false)
          .add("split", DataTypes.StringType, false)
          .add("prompt", DataTypes.StringType, false)
          .add("beta1", DataTypes.DoubleType, false)
          .add("v_star", DataTypes.DoubleType, false)
          .add("v_star_se", DataTypes.DoubleType, false)
          .add("v_star_low", DataTypes.DoubleType, false)
          .add("v_star_high", DataTypes.DoubleType, false)
          .add("v_star_bias", DataTypes.DoubleType, false)
          .add("n", DataTypes.IntegerType, false)
          .add("return_mean", DataTypes.DoubleType, false)
          .add("return_sd", DataTypes.DoubleType, false)
          .add("return_max", DataTypes.DoubleType, false)
          .add("all_alike", DataTypes.BooleanType, false)
          .add("success_rate", DataTypes.DoubleType, false)
          .add("ess", DataTypes.DoubleType, false)
          .add("policy_fingerprint", DataTypes.StringType, false)
          .add("environment_fingerprint", DataTypes.StringType, false)
          .add("reward_fingerprint", DataTypes.StringType, false)
          .add("sampling_fingerprint", DataTypes.StringType, false)
          .add("run_id", DataTypes.StringType, false);

  /**
   * What the estimates depend on.
   *
   * @param samples N, how many samples of a task are used
   * @param beta1 β₁
   * @param seed the run's
   */
  public record Settings(int samples, double beta1, long seed) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Content hash of these and of what the samples were drawn under. */
    String runId(Fingerprints fingerprints) {
      return CanonicalJson.of("vstar", 1)
          .with("fingerprints", fingerprints.canonical())
          .with("samples", samples)
          .with("beta1", beta1)
          .with("seed", seed)
          .fingerprint();
    }
  }

  /** V* by task, and the id of the run that made it. */
  public record Values(Map<String, Double> byTask, String runId) {}

  /**
   * Estimates V* of each train task that has N samples from its first N, and replaces the table.
   * Executors estimate; the driver sees no sample.
   *
   * <p>Returns are summed in the order of their samples, so that the numbers are the same to the
   * last bit however the samples are stored. A sample that is there twice counts once.
   *
   * @param expected how many tasks have N samples, at least
   * @return how many have
   * @throws InvalidInputException if fewer have
   */
  public long estimate(long expected, Settings settings, Fingerprints fingerprints) {
    tables.spark().sparkContext().setJobDescription("V*: estimate " + expected + " tasks");
    String runId = settings.runId(fingerprints);
    Dataset<Row> samples = tables.samples().where(col("sample_index").lt(settings.samples));
    Row ends = samples.agg(min("return"), max("return")).first();
    if (ends.isNullAt(0)) {
      ends = RowFactory.create(0.0, 0.0);
    }
    double lowest = ends.getDouble(0);
    double highest = ends.getDouble(1);
    Dataset<Row> returns =
        samples
            .groupBy("task_id")
            .agg(sort_array(collect_list(struct("sample_index", "return", "success"))).as("taken"));
    Dataset<Row> tasks =
        tables
            .tasks()
            .where(col("split").equalTo(Split.TRAIN.word()))
            .join(returns, "task_id")
            .select("task_id", "environment", "split", "prompt", "taken");
    Dataset<Row> rows =
        tables
            .spark()
            .createDataFrame(
                tasks
                    .javaRDD()
                    .map(task -> row(task, settings, lowest, highest, fingerprints, runId))
                    .filter(row -> row.getInt(COLUMNS.fieldIndex("n")) == settings.samples),
                COLUMNS);
    long estimated = tables.replaceVStar(rows, expected);
    tables.spark().sparkContext().setJobDescription(null);
    return estimated;
  }

  /**
   * The estimate of a task from what was taken of it: (sample_index, return, success) in order.
   *
   * @param lowest of all returns
   * @param highest of all returns
   */
  private static Row row(
      Row task, Settings settings, double lowest, double highest, Fingerprints f, String runId) {
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
    double[] returns = taken.stream().mapToDouble(Double::doubleValue).toArray();
    ValueEstimate v = ValueEstimate.of(returns, settings.beta1);
    ValueInterval interval = ValueInterval.of(returns, settings.beta1, lowest, highest);
    return RowFactory.create(
        task.getString(0),
        task.getString(1),
        task.getString(2),
        task.getString(3),
        settings.beta1,
        v.vStar(),
        v.standardError(),
        interval.low(),
        interval.high(),
        v.bias(settings.beta1),
        v.n(),
        v.mean(),
        v.standardDeviation(),
        v.max(),
        Arrays.stream(returns).allMatch(r -> r == v.max()),
        successes / (double) v.n(),
        v.effectiveSampleSize(),
        f.policy(),
        f.environment(),
        f.reward(),
        f.sampling(),
        runId);
  }

  /**
   * V* for training.
   *
   * @throws InvalidInputException if the table is damaged, has a value that is missing or not
   *     finite or a task twice, or was made under other fingerprints, another β₁, N or seed, saying
   *     which
   */
  public Values values(Fingerprints fingerprints, Settings settings) {
    String runId = settings.runId(fingerprints);
    String where = "the V* table " + tables.location(Tables.VSTAR);
    Map<String, Double> byTask = new HashMap<>();
    for (Row row : rows()) {
      fingerprints.require(where, row);
      requireSame(where, "beta1", row.<Double>getAs("beta1"), settings.beta1);
      requireSame(where, "n", row.<Integer>getAs("n"), settings.samples);
      if (!runId.equals(row.getAs("run_id"))) {
        throw new InvalidInputException(
            String.format(
                "%s was drawn under another seed than this run's %d: use that seed, or another"
                    + " --out",
                where, settings.seed));
      }
      byTask.put(row.getAs("task_id"), row.getAs("v_star"));
    }
    return new Values(byTask, runId);
  }

  /**
   * V* by task, whatever it was made under.
   *
   * @throws InvalidInputException if the table is damaged, has a value that is missing or not
   *     finite, or a task twice
   */
  public Map<String, Double> byTask() {
    Map<String, Double> byTask = new HashMap<>();
    rows().forEach(row -> byTask.put(row.getAs("task_id"), row.getAs("v_star")));
    return byTask;
  }

  /** All rows, checked; without what only people read. */
  private List<Row> rows() {
    String where = "the V* table " + tables.location(Tables.VSTAR);
    Set<String> seen = new HashSet<>();
    List<Row> rows =
        tables
            .vstar()
            .select(
                "task_id",
                "v_star",
                "beta1",
                "n",
                "run_id",
                "policy_fingerprint",
                "environment_fingerprint",
                "reward_fingerprint",
                "sampling_fingerprint")
            .collectAsList();
    for (Row row : rows) {
      requireValues(where, row);
      if (!seen.add(row.getAs("task_id"))) {
        throw new InvalidInputException(
            String.format(
                "%s has task %s twice: delete the table, then run submit/vstar again, which keeps"
                    + " the samples there are",
                where, row.getAs("task_id")));
      }
    }
    return rows;
  }

  private static void requireValues(String where, Row row) {
    for (int i = 0; i < row.length(); i++) {
      boolean wrong =
          row.isNullAt(i) || row.get(i) instanceof Double number && !Double.isFinite(number);
      if (wrong) {
        throw new InvalidInputException(
            String.format(
                "%s has %s %s for task %s, expected a value: delete the table, then run"
                    + " submit/vstar again, which keeps the samples there are",
                where, row.schema().fieldNames()[i], row.get(i), row.get(0)));
      }
    }
  }

  private static void requireSame(String where, String column, Object found, Object wanted) {
    if (!found.equals(wanted)) {
      throw new InvalidInputException(
          String.format(
              "%s has %s %s, this run has %s: run submit/vstar again, which keeps the samples there"
                  + " are",
              where, column, found, wanted));
    }
  }
}
