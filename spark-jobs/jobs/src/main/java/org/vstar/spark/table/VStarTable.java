package org.vstar.spark.table;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Task;
import org.vstar.model.train.TaskValue;

/**
 * The table {@code vstar}: what each train task is worth under the reference policy.
 *
 * @param tables where it is
 */
public record VStarTable(Tables tables) {

  private static final Logger LOG = LoggerFactory.getLogger(VStarTable.class);

  /**
   * What the estimates depend on.
   *
   * @param samples N, how many samples of a task are used
   * @param beta1 β₁
   * @param seed the run's
   * @param adaptive how samples were given out, where tasks have not all as many
   */
  public record Settings(int samples, double beta1, long seed, Optional<CanonicalJson> adaptive) {

    /** Content hash of these and of what the samples were drawn under. */
    String runId(Fingerprints fingerprints) {
      CanonicalJson canonical =
          CanonicalJson.of("vstar", 1)
              .with("fingerprints", fingerprints.canonical())
              .with("samples", samples)
              .with("beta1", beta1)
              .with("seed", seed);
      adaptive.ifPresent(rounds -> canonical.with("adaptive", rounds));
      return canonical.fingerprint();
    }
  }

  /**
   * What each task is worth.
   *
   * @param hash of the table's content
   */
  public record Values(Map<String, TaskValue> byTask, String hash) {

    /** Of training that looks at no table: every task trains, and none has a value. */
    public static Values none(List<Task> tasks) {
      Map<String, TaskValue> unknown = new HashMap<>();
      tasks.forEach(task -> unknown.put(task.id(), TaskValue.UNKNOWN));
      return new Values(unknown, "none");
    }
  }

  /**
   * Estimates V* of each train task that has as many samples as it should, from the first of them,
   * and replaces the table; the former one stays as a version. Executors estimate; the driver sees
   * no sample.
   *
   * @param wanted how many samples each task should have
   * @param expected how many tasks have them, at least
   * @return how many have
   * @throws InvalidInputException if fewer have
   */
  public long estimate(
      WantedSamples wanted, long expected, Settings settings, Fingerprints fingerprints) {
    tables.spark().sparkContext().setJobDescription("V*: estimate " + expected + " tasks");
    Dataset<Row> rows =
        new Estimates(settings.beta1, fingerprints, settings.runId(fingerprints))
            .of(tables.tasks(), tables.samples(), wanted);
    long estimated = tables.replaceEstimates(StoredTables.VSTAR, rows, expected);
    tables.spark().sparkContext().setJobDescription(null);
    return estimated;
  }

  /**
   * V* for training.
   *
   * @param tasks those that training wants; what is missing has to stand in the table {@code
   *     failures}, and is left out, which is said
   * @throws InvalidInputException if the table is damaged, has a value that is missing or not
   *     finite or a task twice, or was made under other fingerprints, another β₁, N or seed, saying
   *     which, or if a task is missing
   */
  public Values values(Fingerprints fingerprints, Settings settings, List<Task> tasks) {
    String runId = settings.runId(fingerprints);
    String where = "the V* table " + tables.location(Tables.VSTAR);
    Map<String, TaskValue> byTask = new HashMap<>();
    for (Row row : rows()) {
      fingerprints.require(where, row);
      requireSame(where, "beta1", row.<Double>getAs("beta1"), settings.beta1);
      if (settings.adaptive.isEmpty()) {
        requireSame(where, "n", row.<Integer>getAs("n"), settings.samples);
      }
      if (!runId.equals(row.getAs("run_id"))) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s was drawn under another seed than this run's %d, or another vstar.adaptive: use"
                    + " those, or run submit/vstar again or into another --out",
                where,
                settings.seed));
      }
      byTask.put(
          row.getAs("task_id"),
          new TaskValue(row.getAs("v_star"), row.getAs("return_mean"), row.getAs("return_sd")));
    }
    requireAll(byTask.keySet(), tasks, fingerprints);
    return new Values(byTask, tables.vstarHash());
  }

  private void requireAll(Set<String> there, List<Task> tasks, Fingerprints fingerprints) {
    List<Task> missing = tasks.stream().filter(task -> !there.contains(task.id())).toList();
    if (missing.isEmpty()) {
      return;
    }
    Set<String> failed = tables.failed(fingerprints);
    for (Task task : missing) {
      if (!failed.contains(task.id())) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "task %s (%s) has no V*: run the V* job on all train tasks first",
                task.id(),
                task.prompt()));
      }
    }
    LOG.warn(
        "{} of {} train tasks are left out: their environment failed when V* was measured, the"
            + " table failures says how",
        missing.size(),
        tasks.size());
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
                "return_mean",
                "return_sd",
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
                Locale.ROOT,
                "%s has task %s twice: delete the table, then run submit/vstar again, which keeps"
                    + " the samples there are",
                where,
                row.getAs("task_id")));
      }
    }
    return rows;
  }

  private static void requireValues(String where, Row row) {
    for (int i = 0; i < row.length(); i++) {
      // The deviation of one sample is not a number.
      boolean wrong =
          row.isNullAt(i)
              || row.get(i) instanceof Double number
                  && !Double.isFinite(number)
                  && !row.schema().fieldNames()[i].equals("return_sd");
      if (wrong) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s has %s %s for task %s, expected a value: delete the table, then run"
                    + " submit/vstar again, which keeps the samples there are",
                where,
                row.schema().fieldNames()[i],
                row.get(i),
                row.get(0)));
      }
    }
  }

  private static void requireSame(String where, String column, Object found, Object wanted) {
    if (!found.equals(wanted)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s has %s %s, this run has %s: run submit/vstar again, which keeps the samples there"
                  + " are",
              where,
              column,
              found,
              wanted));
    }
  }
}
