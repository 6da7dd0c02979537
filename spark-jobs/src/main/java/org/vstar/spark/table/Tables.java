package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
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
import org.vstar.common.FormatVersion;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;

/**
 * The Parquet tables of a run: {@code tasks}, {@code samples}, {@code vstar}. The columns are a
 * public contract: the page {@code tables.md} of the site lists them.
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

  /** The name of the samples' folder in a run. */
  public static final String SAMPLES = "tables/samples";

  private static final String FORMAT = "format.json";

  /** Raised when older tables can no longer be read. 1 had no format file. */
  private static final int VERSION = 2;

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
      throw new InvalidInputException("cannot open " + root + ": " + e.getMessage(), e);
    }
  }

  private Path path(String table) {
    return new Path(root, table);
  }

  SparkSession spark() {
    return spark;
  }

  /** Where a table is, for messages. */
  Path location(String table) {
    return path(table);
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
      throw new InvalidInputException(
          "there is no table '"
              + table
              + "' in "
              + root
              + ": run submit/vstar with the same --config and --out first");
    }
    requireFormat();
    return spark.read().parquet(path(table).toString());
  }

  private void requireFormat() {
    int version = 1;
    try {
      if (files.exists(path(FORMAT))) {
        try (var in = files.open(path(FORMAT))) {
          version = Json.MAPPER.readTree((java.io.InputStream) in).path("version").asInt();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path(FORMAT), e);
    }
    FormatVersion.require(
        "the tables in " + root,
        version,
        VERSION,
        "run submit/vstar into another --out, or use the Vstar that wrote them");
  }

  private void writeFormat() {
    try (var out = files.create(path(FORMAT), true)) {
      out.write(Json.MAPPER.writeValueAsBytes(Map.of("version", VERSION)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + path(FORMAT), e);
    }
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
   * @throws InvalidInputException naming the table and what differs
   */
  public void requireSame(Fingerprints fingerprints) {
    if (exists("tasks")) {
      Row task = tasks().first();
      String found = task.getAs("environment_fingerprint");
      if (!found.equals(fingerprints.environment())) {
        throw new InvalidInputException(
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
   * @throws InvalidInputException if executors do not see the driver's files
   */
  public void requireShared() {
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
        throw new InvalidInputException(
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

  /** Writes the tasks of all splits, unless they are there. */
  public void writeTasks(Environment environment) {
    if (exists("tasks")) {
      return;
    }
    writeFormat();
    List<Row> rows = new ArrayList<>();
    for (Split split : Split.values()) {
      for (Task t : environment.tasks(split)) {
        rows.add(
            RowFactory.create(
                t.id(),
                t.environment(),
                split.word(),
                t.category(),
                t.prompt(),
                environment.fingerprint()));
      }
    }
    replace("tasks", spark.createDataFrame(rows, TASKS));
  }

  /**
   * The keys of all samples there are.
   *
   * @throws InvalidInputException if they were drawn under another seed
   */
  public Set<SampleKey> existingKeys(long seed, Fingerprints fingerprints) {
    Set<SampleKey> keys = new HashSet<>();
    if (exists("samples")) {
      for (Row r : samples().select("task_id", "sample_index", "seed").collectAsList()) {
        SampleKey key = new SampleKey(r.getString(0), r.getInt(1));
        if (r.getLong(2) != key.seed(seed, fingerprints)) {
          throw new InvalidInputException(
              String.format(
                  "the table %s was drawn under another seed than this run's %d: use that seed, or"
                      + " another --out",
                  path("samples"), seed));
        }
        if (!keys.add(key)) {
          throw new InvalidInputException(
              String.format(
                  "sample %d of task %s is in %s twice: two V* jobs wrote there at once; delete one"
                      + " of its files",
                  key.sampleIndex(), key.taskId(), path("samples")));
        }
      }
    }
    return keys;
  }

  /** Writes beside the old table, and only then takes its place. */
  void replace(String table, Dataset<Row> rows) {
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
}
