package org.vstar.spark.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SerializableWritable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.FormatVersion;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.ParquetCheck.DamagedFileException;

/**
 * The Parquet tables of a run: {@code tasks}, {@code samples}, {@code vstar}. The columns are a
 * public contract: the page {@code tables.md} of the site lists them.
 */
public final class Tables {

  /** The name of the tables' folder in a run. */
  public static final String FOLDER = "tables";

  /** The name of the samples' folder in a run. */
  public static final String SAMPLES = FOLDER + "/samples";

  /** The name of the tasks' folder in a run. */
  static final String TASKS = FOLDER + "/tasks";

  /** The name of the estimates' folder in a run. */
  static final String VSTAR = FOLDER + "/vstar";

  private static final String FORMAT = FOLDER + "/format.json";
  private static final String MAKE_FIRST =
      "run submit/vstar with the same --config and --out first";

  /** Raised when older tables can no longer be read. 1 had no format file. */
  private static final int VERSION = 2;

  private static final int ROWS_PER_PIECE = 5_000;

  private final SparkSession spark;
  private final HadoopRunStore store;

  /** Opens the tables of a run, which need not exist yet. */
  public Tables(SparkSession spark, HadoopRunStore store) {
    this.spark = spark;
    this.store = store;
  }

  /** The session that reads and writes them. */
  public SparkSession spark() {
    return spark;
  }

  /** Where a table is, for messages. */
  String location(String table) {
    return store.location(table);
  }

  /**
   * Writes a table of estimates; the one that it replaces stays as a version. See {@link
   * TableFile#replace}.
   */
  long replaceEstimates(String name, Dataset<Row> rows, long expected) {
    String folder = FOLDER + "/" + name;
    TableFile table = new TableFile(store, folder, Columns.VSTAR);
    Versions versions = new Versions(store, folder);
    try {
      keepUnlessDamaged(table, versions);
      long found = table.replace(rows, expected);
      versions.keep();
      return found;
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + location(folder), e);
    }
  }

  /** A Vstar before 0.2 kept no versions. */
  private static void keepUnlessDamaged(TableFile table, Versions versions) throws IOException {
    try {
      table.check();
      versions.keep();
    } catch (DamagedFileException e) {
      // It is about to be replaced.
    }
  }

  private Dataset<Row> read(String table, StructType columns) {
    List<String> files = new TableFile(store, table, columns).files();
    if (files.isEmpty()) {
      throw new InvalidInputException(
          String.format(
              "there is no table '%s' in %s: %s",
              table.substring(table.indexOf('/') + 1), location(FOLDER), MAKE_FIRST));
    }
    requireFormat();
    // Samples may be in many files; what does not belong there has been put aside.
    String[] paths =
        table.equals(SAMPLES)
            ? new String[] {store.path(table).toString()}
            : files.stream().map(f -> store.path(f).toString()).toArray(String[]::new);
    return spark.read().schema(columns).parquet(paths);
  }

  private void requireFormat() {
    String where = location(FORMAT);
    String advice = "run submit/vstar into another --out, or use the Vstar that wrote them";
    int version = 1;
    try {
      if (store.exists(FORMAT)) {
        try (InputStream in = store.read(FORMAT)) {
          JsonNode found = Json.read(where, in, JsonNode.class).path("version");
          if (!found.isInt()) {
            throw new InvalidInputException(where + ": expected {\"version\": 2}: " + advice);
          }
          version = found.asInt();
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + where, e);
    }
    FormatVersion.require("the tables in " + location(FOLDER), version, VERSION, advice);
  }

  private record Format(int version) {}

  private void writeFormat() {
    try {
      publish("format.json", Json.MAPPER.writeValueAsBytes(new Format(VERSION)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Publishes a small file beside or in the tables. */
  void publish(String name, byte[] content) {
    String file = FOLDER + "/" + name;
    try {
      store.publish(file, out -> out.write(content));
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + location(file), e);
    }
  }

  /** Whether V* has been estimated. */
  public boolean hasVStar() {
    return !new TableFile(store, VSTAR, Columns.VSTAR).files().isEmpty();
  }

  /** All tasks. */
  public Dataset<Row> tasks() {
    return read(TASKS, Columns.TASKS);
  }

  /** All samples, as they are stored; {@link SampleFiles} checks them first. */
  public Dataset<Row> samples() {
    return read(SAMPLES, Columns.SAMPLES);
  }

  /**
   * The estimates.
   *
   * @throws InvalidInputException naming a file that is damaged or has other columns
   */
  public Dataset<Row> vstar() {
    Dataset<Row> rows = read(VSTAR, Columns.VSTAR);
    try {
      new TableFile(store, VSTAR, Columns.VSTAR).check();
    } catch (DamagedFileException e) {
      throw new InvalidInputException(
          e.getMessage()
              + ": delete the file, then run submit/vstar again, which keeps the samples there are",
          e);
    }
    return rows;
  }

  /**
   * Looks from the executors for a file that the driver writes, before work is spent that would be
   * lost.
   *
   * @throws InvalidInputException if executors do not see the driver's files
   */
  public void requireShared() {
    String probe = SAMPLES + "/.probe-" + UUID.randomUUID() + ".partial";
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    try {
      store.publish(probe, out -> out.write(0));
      SerializableWritable<Configuration> hadoop =
          new SerializableWritable<>(sc.hadoopConfiguration());
      URI uri = store.path(probe).toUri();
      int looks = sc.defaultParallelism();
      sc.setJobDescription("V*: look whether executors see the tables' folder");
      List<Boolean> seen =
          sc.parallelize(Collections.nCopies(looks, uri), looks)
              .map(u -> FileSystem.get(u, hadoop.value()).exists(new Path(u)))
              .collect();
      if (seen.contains(false)) {
        throw new InvalidInputException(
            "executors do not see "
                + location(SAMPLES)
                + " of the driver: --out must be a folder that all of them share");
      }
      store.delete(probe);
    } catch (IOException e) {
      throw InvalidInputException.cannot("write to " + location(SAMPLES), e);
    } finally {
      sc.setJobDescription(null);
    }
  }

  /**
   * Writes the tasks of all splits, unless they are there.
   *
   * @throws InvalidInputException if the tasks there are those of another environment
   */
  public void writeTasks(Environment environment) {
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
    TableFile table = new TableFile(store, TASKS, Columns.TASKS);
    if (hasTasks(table, environment, rows.size())) {
      return;
    }
    writeFormat();
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    JavaRDD<Row> spread = sc.parallelize(rows, 1 + rows.size() / ROWS_PER_PIECE);
    table.replace(spark.createDataFrame(spread, Columns.TASKS), rows.size());
  }

  /** Whether the tasks there are whole and those of this environment. */
  private boolean hasTasks(TableFile table, Environment environment, int expected) {
    if (table.files().isEmpty()) {
      return false;
    }
    try {
      table.check();
      Row found =
          tasks()
              .selectExpr(
                  "count(*)",
                  "count(DISTINCT task_id)",
                  "min(environment)",
                  "min(environment_fingerprint)",
                  "max(environment_fingerprint)")
              .first();
      requireSame(environment, found.getString(2), found.getString(3));
      requireSame(environment, found.getString(2), found.getString(4));
      if (found.getLong(0) == expected && found.getLong(1) == expected) {
        return true;
      }
      System.err.printf(
          "%s has %d rows, expected %d: it is written again%n",
          location(TASKS), found.getLong(0), expected);
    } catch (DamagedFileException e) {
      System.err.println(e.getMessage() + ": it is written again");
    }
    return false;
  }

  private void requireSame(Environment environment, String name, String fingerprint) {
    if (fingerprint != null && !fingerprint.equals(environment.fingerprint())) {
      throw new InvalidInputException(
          String.format(
              "the tasks in %s are of environment '%s' with fingerprint %s, this run's has %s: use"
                  + " another --out",
              location(TASKS), name, fingerprint, environment.fingerprint()));
    }
  }
}
