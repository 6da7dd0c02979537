package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Task;
import org.vstar.model.value.ValueEstimate;

/**
 * The table {@code vstar}: what each train task is worth under the reference policy.
 *
 * @param tables where it is
 */
public record VStarTable(Tables tables) {

  private static final StructType VSTAR =
      new StructType()
          .add("task_id", DataTypes.StringType, false)
          .add("environment", DataTypes.StringType, false)
          .add("split", DataTypes.StringType, false)
          .add("prompt", DataTypes.StringType, false)
          .add("beta1", DataTypes.DoubleType, false)
          .add("v_star", DataTypes.DoubleType, false)
          .add("v_star_se", DataTypes.DoubleType, false)
          .add("n", DataTypes.IntegerType, false)
          .add("return_mean", DataTypes.DoubleType, false)
          .add("return_sd", DataTypes.DoubleType, false)
          .add("return_max", DataTypes.DoubleType, false)
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
  public record Settings(int samples, double beta1, long seed) {
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
   * Estimates V* of each task from its first N samples and replaces the table.
   *
   * <p>Returns are summed in the order of their samples, so that the numbers are the same to the
   * last bit however the samples are stored.
   *
   * @throws InvalidInputException if a task lacks samples
   */
  public void estimate(List<Task> tasks, Settings settings, Fingerprints fingerprints) {
    tables.spark().sparkContext().setJobDescription("V*: estimate " + tasks.size() + " tasks");
    Map<String, List<Row>> samples = samples(settings.samples);
    List<Row> rows = new ArrayList<>();
    for (Task task : tasks) {
      List<Row> own = samples.getOrDefault(task.id(), List.of());
      requireAll(task, own.size(), settings.samples);
      rows.add(row(task, own, settings, fingerprints));
    }
    tables.replace("vstar", tables.spark().createDataFrame(rows, VSTAR));
    tables.spark().sparkContext().setJobDescription(null);
  }

  /** (sample_index, return, success) of each task's first samples, in order. */
  private Map<String, List<Row>> samples(int n) {
    Map<String, List<Row>> byTask = new HashMap<>();
    tables
        .samples()
        .where(col("sample_index").lt(n))
        .groupBy("task_id")
        .agg(sort_array(collect_list(struct("sample_index", "return", "success"))).as("samples"))
        .collectAsList()
        .forEach(row -> byTask.put(row.getString(0), row.getList(1)));
    return byTask;
  }

  private void requireAll(Task task, int found, int expected) {
    if (found != expected) {
      throw new InvalidInputException(
          String.format(
              "task %s has %d samples in %s, expected %d: do driver and executors see the same"
                  + " folder?",
              task.id(), found, tables.location("samples"), expected));
    }
  }

  private static Row row(Task task, List<Row> samples, Settings settings, Fingerprints f) {
    double[] returns = samples.stream().mapToDouble(s -> s.getDouble(1)).toArray();
    long successes = samples.stream().filter(s -> s.getBoolean(2)).count();
    ValueEstimate v = ValueEstimate.of(returns, settings.beta1);
    return RowFactory.create(
        task.id(),
        task.environment(),
        task.split().word(),
        task.prompt(),
        settings.beta1,
        v.vStar(),
        v.standardError(),
        v.n(),
        v.mean(),
        v.standardDeviation(),
        v.max(),
        successes / (double) v.n(),
        v.effectiveSampleSize(),
        f.policy(),
        f.environment(),
        f.reward(),
        f.sampling(),
        settings.runId(f));
  }

  /**
   * V* for training.
   *
   * @throws InvalidInputException if the table was made under other fingerprints, another β₁, N or
   *     seed, saying which
   */
  public Values values(Fingerprints fingerprints, Settings settings) {
    Map<String, Double> byTask = new HashMap<>();
    String runId = settings.runId(fingerprints);
    for (Row row : tables.vstar().collectAsList()) {
      fingerprints.require("the V* table " + tables.location("vstar"), row);
      requireSame("beta1", row.<Double>getAs("beta1"), settings.beta1);
      requireSame("n", row.<Integer>getAs("n"), settings.samples);
      if (!runId.equals(row.getAs("run_id"))) {
        throw new InvalidInputException(
            String.format(
                "the V* table %s was drawn under another seed than this run's %d: use that seed, or"
                    + " another --out",
                tables.location("vstar"), settings.seed));
      }
      byTask.put(row.getAs("task_id"), row.getAs("v_star"));
    }
    return new Values(byTask, runId);
  }

  private void requireSame(String column, Object found, Object wanted) {
    if (!found.equals(wanted)) {
      throw new InvalidInputException(
          String.format(
              "the V* table %s has %s %s, this run has %s: run submit/vstar again, which keeps the"
                  + " samples there are",
              tables.location("vstar"), column, found, wanted));
    }
  }
}
