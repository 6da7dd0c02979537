package org.vstar.spark.table;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.rollout.EpisodeFailure;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;

/**
 * The Parquet tables of a run: {@code tasks}, {@code samples}, {@code vstar}. The columns are a
 * public contract: the page {@code tables.md} of the site lists them.
 */
public final class Tables {

  private static final Logger LOG = LoggerFactory.getLogger(Tables.class);

  /** The name of the tables' folder in a run. */
  public static final String FOLDER = TableFormat.FOLDER;

  /** The name of the samples' folder in a run. */
  public static final String SAMPLES = FOLDER + "/samples";

  /** The name of the trajectories' folder in a run. */
  public static final String TRAJECTORIES = FOLDER + "/trajectories";

  /** Runs of a study, its learning curves, its last episodes: names of tables. */
  public static final String STUDY_RUNS = "study_runs";

  public static final String STUDY_CURVES = "study_curves";
  public static final String STUDY_EPISODES = "study_episodes";

  /** The name of the tasks' folder in a run. */
  static final String TASKS = FOLDER + "/tasks";

  /** The name of the folder of what went wrong. */
  private static final String FAILURES = FOLDER + "/failures";

  /** The name of the folder of what training can add. */
  private static final String HEADROOM = FOLDER + "/headroom";

  /** The name of the estimates' folder in a run. */
  public static final String VSTAR = FOLDER + "/vstar";

  private static final String WHOLE = TableLog.internals(VSTAR) + "_SUCCESS";
  private static final String MAKE_FIRST =
      "run submit/vstar with the same --config and --out first";

  private static final int ROWS_PER_PIECE = 5_000;

  private final SparkSession spark;
  private final Store store;

  /** Opens the tables of a run, which need not exist yet. */
  public Tables(SparkSession spark, Store store) {
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
    return new TableFile(store, FOLDER + "/" + name, Columns.VSTAR).replace(rows, expected);
  }

  /** Writes the table {@code headroom} in the place of the former one. */
  public void replaceHeadroom(Dataset<Row> rows, long expected) {
    new TableFile(store, HEADROOM, Columns.HEADROOM).replace(rows, expected);
  }

  /** Writes a table of a study in the place of the former one. */
  public void replaceStudy(String name, List<Row> rows) {
    new TableFormat(store).write();
    StructType columns = Columns.ofStudy(name).orElseThrow();
    new TableFile(store, FOLDER + "/" + name, columns)
        .replace(spark.createDataFrame(rows, columns), rows.size());
  }

  /** The table {@code headroom}, if there is one. */
  public Optional<Dataset<Row>> headroom() {
    return new TableFile(store, HEADROOM, Columns.HEADROOM).now().isPresent()
        ? Optional.of(read(HEADROOM, Columns.HEADROOM))
        : Optional.empty();
  }

  /** Files that manifests name, and no others: what a folder has besides is not in the table. */
  private Dataset<Row> read(String table, StructType columns) {
    new TableFormat(store).require();
    TableLog.Snapshot now = new TableLog(store, table).now();
    Collection<DataFile> files =
        table.equals(SAMPLES) || table.equals(TRAJECTORIES)
            ? now.files().values()
            : now.newestFile().stream().toList();
    if (files.isEmpty()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "there is no table '%s' in %s: %s",
              table.substring(table.indexOf('/') + 1),
              location(FOLDER),
              MAKE_FIRST));
    }
    return spark
        .read()
        .schema(columns)
        .parquet(files.stream().map(f -> store.path(f.name()).toString()).toArray(String[]::new));
  }

  /** Publishes a small file beside the tables. */
  void publish(String file, byte[] content) {
    try {
      store.publish(file, out -> out.write(content));
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + location(file), e);
    }
  }

  /** Whether V* has been estimated. */
  public boolean hasVStar() {
    return new TableFile(store, VSTAR, Columns.VSTAR).now().isPresent();
  }

  /** The hash of the estimates' rows: of what training learns from. */
  String vstarHash() {
    return new TableFile(store, VSTAR, Columns.VSTAR).rowsHash();
  }

  /**
   * Writes which tasks have no V* because their environment failed, in the place of those of an
   * earlier job.
   */
  public void writeFailures(Collection<EpisodeFailure> failures, Fingerprints fingerprints) {
    TableFile table = new TableFile(store, FAILURES, Columns.FAILURES);
    if (failures.isEmpty() && table.now().isEmpty()) {
      return;
    }
    Collection<String> columns = fingerprints.columns().values();
    List<Row> rows = new ArrayList<>();
    for (EpisodeFailure f : failures) {
      List<Object> row = new ArrayList<>();
      Collections.addAll(
          row, f.taskId(), f.sampleIndex(), f.seed(), f.turn(), f.attempts(), f.reason());
      row.addAll(columns);
      rows.add(RowFactory.create(row.toArray()));
    }
    table.replace(spark.createDataFrame(rows, Columns.FAILURES), rows.size());
  }

  /** The tasks that have no V* under some fingerprints because their environment failed. */
  Set<String> failed(Fingerprints fingerprints) {
    if (new TableFile(store, FAILURES, Columns.FAILURES).now().isEmpty()) {
      return Set.of();
    }
    Dataset<Row> rows = read(FAILURES, Columns.FAILURES);
    for (Map.Entry<String, String> of : fingerprints.columns().entrySet()) {
      rows = rows.where(rows.col(of.getKey()).equalTo(of.getValue()));
    }
    return rows.select("task_id").collectAsList().stream()
        .map(row -> row.getString(0))
        .collect(Collectors.toSet());
  }

  /**
   * Says, for those who wait for it, that all train tasks have a V*, or stand in the table {@code
   * failures}: a file that is written last, with the hash of the estimates.
   */
  public void markWhole() {
    publish(WHOLE, (vstarHash() + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * Whether {@link #markWhole} said so of the estimates that there are, and these are not damaged.
   */
  public boolean isWhole() {
    try {
      if (!store.exists(WHOLE)) {
        return false;
      }
      try (InputStream in = store.read(WHOLE)) {
        String hash = new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
        return hash.equals(vstarHash())
            && new TableFile(store, VSTAR, Columns.VSTAR).damage() == null;
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + location(WHOLE), e);
    }
  }

  /** Takes back what {@link #markWhole} said: the tables are being written. */
  public void unmark() {
    try {
      store.delete(WHOLE);
    } catch (IOException e) {
      throw InvalidInputException.cannot("delete " + location(WHOLE), e);
    }
  }

  /** All tasks. */
  public Dataset<Row> tasks() {
    return read(TASKS, Columns.TASKS);
  }

  /** All samples, as they are stored; {@link SampleTable#indices} checks them first. */
  public Dataset<Row> samples() {
    return read(SAMPLES, Columns.SAMPLES);
  }

  /** All trajectories, as they are stored. */
  public Dataset<Row> trajectories() {
    return read(TRAJECTORIES, Columns.TRAJECTORIES);
  }

  /**
   * The estimates.
   *
   * @throws InvalidInputException naming a file that is damaged
   */
  public Dataset<Row> vstar() {
    Dataset<Row> rows = read(VSTAR, Columns.VSTAR);
    String damage = new TableFile(store, VSTAR, Columns.VSTAR).damage();
    if (damage != null) {
      throw new InvalidInputException(
          damage + ": run submit/vstar again, which keeps the samples there are");
    }
    return rows;
  }

  /**
   * Looks from the executors for a file that the driver writes, before work is spent that would be
   * lost.
   *
   * @throws InvalidInputException if executors do not see the driver's files, or there are tables
   *     of another format
   */
  public void requireUsable() {
    new TableFormat(store).require();
    String probe = TableLog.internals(SAMPLES) + ".probe-" + UUID.randomUUID();
    Store shared = store;
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    try {
      store.publish(probe, out -> out.write(0));
      int looks = sc.defaultParallelism();
      sc.setJobDescription("V*: look whether executors see the tables' folder");
      List<Boolean> seen =
          sc.parallelize(Collections.nCopies(looks, probe), looks).map(shared::exists).collect();
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
   * Writes the tasks of all splits, unless they are there. Those of another environment stay as an
   * older version.
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
                t.cluster(),
                environment.fingerprint()));
      }
    }
    TableFile table = new TableFile(store, TASKS, Columns.TASKS);
    if (hasTasks(table, environment, rows)) {
      table.copyForReaders();
      return;
    }
    new TableFormat(store).write();
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    JavaRDD<Row> spread = sc.parallelize(rows, 1 + rows.size() / ROWS_PER_PIECE);
    table.replace(spark.createDataFrame(spread, Columns.TASKS), rows.size());
  }

  /** Whether the tasks there are whole and those of this environment. */
  private boolean hasTasks(TableFile table, Environment environment, List<Row> expected) {
    if (table.now().isEmpty()) {
      return false;
    }
    String damage = table.damage();
    if (damage != null) {
      LOG.warn(damage + ": it is written again");
      return false;
    }
    Row found =
        tasks()
            .selectExpr(
                "count(*)",
                "min(environment_fingerprint)",
                "max(environment_fingerprint)",
                "sum(crc32(task_id))")
            .first();
    // Variations of train tasks differ from run to run in the same environment.
    long ids = expected.stream().mapToLong(row -> crc32(row.getString(0))).sum();
    return found.getLong(0) == expected.size()
        && found.getLong(3) == ids
        && environment.fingerprint().equals(found.getString(1))
        && environment.fingerprint().equals(found.getString(2));
  }

  private static long crc32(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }
}
