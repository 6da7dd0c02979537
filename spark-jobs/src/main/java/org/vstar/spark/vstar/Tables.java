package org.vstar.spark.vstar;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SerializableWritable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.vstar.env.ContentHash;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.vstar.ValueEstimate;

/**
 * The Parquet tables of a run: {@code tasks}, {@code samples}, {@code vstar}. The columns are a
 * public contract; the README lists them.
 */
public final class Tables {

  private static final StructType TASKS =
      new StructType()
          .add("task_id", DataTypes.StringType, false)
          .add("environment", DataTypes.StringType, false)
          .add("split", DataTypes.StringType, false)
          .add("category", DataTypes.StringType, false)
          .add("prompt", DataTypes.StringType, false)
          .add("environment_fingerprint", DataTypes.StringType, false);

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

  private final SparkSession spark;
  private final Path root;
  private final FileSystem files;

  /**
   * Opens the tables of a run, which need not exist yet.
   *
   * @param root a folder on any file system that Spark knows
   */
  public Tables(SparkSession spark, Path root) {
    this.spark = spark;
    this.root = root;
    try {
      this.files = this.root.getFileSystem(spark.sparkContext().hadoopConfiguration());
    } catch (IOException e) {
      throw new InputError("cannot open " + root + ": " + e.getMessage(), e);
    }
  }

  private Path path(String table) {
    return new Path(root, table);
  }

  URI samplesPath() {
    return path("samples").toUri();
  }

  private boolean exists(String table) {
    try {
      return files.exists(path(table))
          && Arrays.stream(files.listStatus(path(table)))
              .anyMatch(f -> f.getPath().getName().endsWith(".parquet"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + path(table), e);
    }
  }

  private Dataset<Row> read(String table) {
    if (!exists(table)) {
      throw new InputError(
          "there is no table '"
              + table
              + "' in "
              + root
              + ": run submit/vstar with the same --config and --out first");
    }
    // Older files lack columns that came later.
    return spark.read().option("mergeSchema", "true").parquet(path(table).toString());
  }

  /** Whether V* has been estimated. */
  public boolean hasVStar() {
    return exists("vstar");
  }

  public Dataset<Row> tasks() {
    return read("tasks");
  }

  public Dataset<Row> samples() {
    return read("samples");
  }

  public Dataset<Row> vstar() {
    return read("vstar");
  }

  /**
   * Refuses to add to tables that were made under other fingerprints.
   *
   * @throws InputError naming the table and what differs
   */
  void requireSame(Fingerprints fingerprints) {
    if (exists("tasks")) {
      Row task = tasks().first();
      String found = task.getAs("environment_fingerprint");
      if (!found.equals(fingerprints.environment())) {
        throw new InputError(
            "the tasks in "
                + path("tasks")
                + " are of environment '"
                + task.getAs("environment")
                + "' with fingerprint "
                + found
                + ", this run's has "
                + fingerprints.environment()
                + ": use another --out");
      }
    }
    if (exists("samples")) {
      samples()
          .select(
              fingerprints.columns().keySet().stream()
                  .map(c -> col(c))
                  .toArray(org.apache.spark.sql.Column[]::new))
          .distinct()
          .collectAsList()
          .forEach(row -> fingerprints.require("the table " + path("samples"), row));
    }
  }

  /**
   * Looks from the executors for a file that the driver writes, before work is spent that would be
   * lost.
   *
   * @throws InputError if executors do not see the driver's files
   */
  void requireShared() {
    Path probe = new Path(path("samples"), "_probe-" + UUID.randomUUID());
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    try {
      files.create(probe).close();
      SerializableWritable<Configuration> hadoop =
          new SerializableWritable<>(sc.hadoopConfiguration());
      URI uri = probe.toUri();
      int looks = sc.defaultParallelism();
      sc.setJobDescription("V*: look whether executors see the tables' folder");
      List<Boolean> seen =
          sc.parallelize(Collections.nCopies(looks, uri), looks)
              .map(u -> new Path(u).getFileSystem(hadoop.value()).exists(new Path(u)))
              .collect();
      if (seen.contains(false)) {
        throw new InputError(
            "executors do not see "
                + path("samples")
                + " of the driver: --out must be a folder that all of them share");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + path("samples"), e);
    } finally {
      sc.setJobDescription(null);
      delete(probe);
    }
  }

  private void delete(Path file) {
    try {
      files.delete(file, false);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + file, e);
    }
  }

  /** Writes the tasks of both splits, unless they are there. */
  void writeTasks(Environment environment) {
    if (exists("tasks")) {
      return;
    }
    List<Row> rows = new ArrayList<>();
    for (Split split : Split.values()) {
      for (Task t : environment.tasks(split)) {
        rows.add(
            RowFactory.create(
                t.id(),
                t.environment(),
                name(split),
                t.category(),
                t.prompt(),
                environment.fingerprint()));
      }
    }
    replace("tasks", spark.createDataFrame(rows, TASKS));
  }

  private static String name(Split split) {
    return split.name().toLowerCase(java.util.Locale.ROOT);
  }

  /**
   * The keys of all samples there are, as {@link Unit.Key#text} writes them.
   *
   * @throws InputError if they were drawn under another seed
   */
  Set<String> sampleKeys(long seed, Fingerprints fingerprints) {
    Set<String> keys = new HashSet<>();
    if (exists("samples")) {
      for (Row r : samples().select("task_id", "sample_index", "seed").collectAsList()) {
        if (r.getLong(2) != Unit.seed(r.getString(0), r.getInt(1), seed, fingerprints)) {
          throw new InputError(
              "the table "
                  + path("samples")
                  + " was drawn under another seed than this run's "
                  + seed
                  + ": use that seed, or another --out");
        }
        if (!keys.add(Unit.Key.text(r.getString(0), r.getInt(1)))) {
          throw new InputError(
              "sample "
                  + r.getInt(1)
                  + " of task "
                  + r.getString(0)
                  + " is in "
                  + path("samples")
                  + " twice: two V* jobs wrote there at once; delete one of its files");
        }
      }
    }
    return keys;
  }

  /**
   * Estimates V* of each task from its first n samples and replaces the table.
   *
   * <p>Returns are summed in the order of their samples, so that the numbers are the same to the
   * last bit however the samples are stored.
   */
  void writeVStar(List<Task> tasks, int n, double beta1, Fingerprints f, long seed) {
    spark.sparkContext().setJobDescription("V*: estimate " + tasks.size() + " tasks");
    Map<String, Row> byTask = new HashMap<>();
    samples()
        .where(col("sample_index").lt(n))
        .groupBy("task_id")
        .agg(sort_array(collect_list(struct("sample_index", "return", "success"))).as("samples"))
        .collectAsList()
        .forEach(row -> byTask.put(row.getString(0), row));
    String runId =
        new ContentHash().add(f.toString()).add(n).add(Double.toString(beta1)).add(seed).hex();
    List<Row> rows = new ArrayList<>();
    for (Task task : tasks) {
      List<Row> samples =
          byTask.containsKey(task.id()) ? byTask.get(task.id()).getList(1) : List.of();
      if (samples.size() != n) {
        throw new InputError(
            "task "
                + task.id()
                + " has "
                + samples.size()
                + " samples in "
                + path("samples")
                + ", expected "
                + n
                + ": do driver and executors see the same folder?");
      }
      double[] returns = samples.stream().mapToDouble(s -> s.getDouble(1)).toArray();
      long successes = samples.stream().filter(s -> s.getBoolean(2)).count();
      ValueEstimate v = ValueEstimate.of(returns, beta1);
      rows.add(
          RowFactory.create(
              task.id(),
              task.environment(),
              name(task.split()),
              task.prompt(),
              beta1,
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
              runId));
    }
    replace("vstar", spark.createDataFrame(rows, VSTAR));
    spark.sparkContext().setJobDescription(null);
  }

  /** Writes beside the old table, and only then takes its place. */
  private void replace(String table, Dataset<Row> rows) {
    Path fresh = path("_" + table + ".new");
    rows.coalesce(1)
        .sortWithinPartitions("task_id")
        .write()
        .mode("overwrite")
        .parquet(fresh.toString());
    try {
      files.delete(path(table), true);
      if (!files.rename(fresh, path(table))) {
        throw new IOException("rename refused");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot put " + fresh + " in the place of " + path(table), e);
    }
  }

  /** V* by task, and the id of the run that made it. */
  public record Values(Map<String, Double> byTask, String runId) {}

  /**
   * V* for training.
   *
   * @throws InputError if the table was made under other fingerprints or another β₁, saying which
   */
  public Values values(Fingerprints fingerprints, double beta1) {
    Map<String, Double> byTask = new HashMap<>();
    String runId = "";
    for (Row row : vstar().collectAsList()) {
      fingerprints.require("the V* table " + path("vstar"), row);
      double found = row.getAs("beta1");
      if (found != beta1) {
        throw new InputError(
            "the V* table "
                + path("vstar")
                + " has beta1 "
                + found
                + ", this run has "
                + beta1
                + ": run submit/vstar again, which takes no new samples");
      }
      byTask.put(row.getAs("task_id"), row.getAs("v_star"));
      runId = row.getAs("run_id");
    }
    return new Values(byTask, runId);
  }
}
