package org.vstar.spark.train;

import static org.apache.spark.sql.functions.udf;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Task;
import org.vstar.model.objective.Objective;
import org.vstar.model.train.StoredTrajectories;
import org.vstar.model.train.TrainConfig;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.SampleTable;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.UnitTable;

/**
 * What {@code --offline} trains on: the trajectories of the policy that V* is measured under, in
 * the place of rollouts.
 */
final class OfflineSamples {

  private static final Logger LOG = LoggerFactory.getLogger(OfflineSamples.class);

  /**
   * Whose samples they are.
   *
   * @param store has their tables
   * @param fingerprints what they were drawn under
   * @param origin how many updates of this training that policy has behind it
   */
  record Source(Store store, Fingerprints fingerprints, int origin) {}

  private final RunConfig config;
  private final SparkSession spark;
  private Source present;
  private StoredEpochs epochs;

  /**
   * Reads nothing yet.
   *
   * @throws InvalidInputException if the objective is not right off policy, or no tokens are kept
   */
  OfflineSamples(RunConfig config, SparkSession spark) {
    this.config = config;
    this.spark = spark;
    Objective objective = config.objective();
    if (!objective.offPolicy()) {
      Set<String> able = new TreeSet<>();
      config
          .objectives()
          .forEach(
              (name, each) -> {
                if (each.offPolicy()) {
                  able.add(name);
                }
              });
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "--offline: %s ('%s') is for trajectories of the policy that is trained, not for stored"
                  + " ones: set train.objective to one of %s",
              objective.method(),
              config.train().target().objective(),
              able));
    }
    InvalidInputException.require(
        config.vstar().keepTokens(),
        "vstar.keepTokens",
        false,
        "true: --offline trains on the table trajectories, which submit/vstar writes then");
    TrainConfig.OfflineConfig offline = config.train().offline();
    InvalidInputException.require(
        offline.epochs() == null || config.train().target().refresh() == null,
        "train.offline.epochs",
        offline.epochs(),
        "no such key with train.refresh: train.steps says how many updates there are");
  }

  /** How many updates {@code train.offline.epochs} are; {@code train.steps} without it. */
  int steps(Source source, List<Task> tasks) {
    if (config.train().offline().epochs() == null) {
      return config.train().schedule().steps();
    }
    long all = config.train().offline().epochs() * epochs(source, tasks).count();
    int perStep = config.train().batch().tasksPerStep();
    return Math.toIntExact((all + perStep - 1) / perStep);
  }

  /**
   * The trajectories of an update.
   *
   * @param tasks those that train
   */
  StoredTrajectories of(Source source, List<Task> tasks) {
    TrainConfig train = config.train();
    StoredEpochs there = epochs(source, tasks);
    int first =
        train.target().refresh() == null
            ? source.origin
            : train.target().refresh().firstOf(source.origin);
    long begun = (long) first * train.batch().tasksPerStep();
    return (cursor, count) -> there.from(cursor - begun, count);
  }

  private StoredEpochs epochs(Source source, List<Task> tasks) {
    if (!source.equals(present)) {
      Integer passes = config.train().offline().epochs();
      Map<String, Task> byId = new HashMap<>();
      tasks.forEach(task -> byId.put(task.id(), task));
      epochs =
          new StoredEpochs(
              rows(source, byId.keySet()),
              byId,
              config.seed(),
              source.origin,
              passes == null ? 0 : passes,
              config.train().offline().shard());
      present = source;
    }
    return epochs;
  }

  private Dataset<Row> rows(Source source, Set<String> tasks) {
    Store store = source.store;
    new SampleTable(UnitTable.TRAJECTORIES, spark, store, LOG::warn)
        .differenceFrom(source.fingerprints, config.seed())
        .ifPresent(
            difference -> {
              throw new InvalidInputException(
                  String.format(
                      Locale.ROOT,
                      "%s %s: run submit/vstar with vstar.keepTokens first; it plays the samples"
                          + " there are once more, by the same seeds",
                      store.location(Tables.TRAJECTORIES),
                      difference));
            });
    Tables tables = new Tables(spark, store);
    Dataset<Row> trajectories = wanted(tables.trajectories(), tasks);
    long has = trajectories.count();
    long samples = wanted(tables.samples(), tasks).count();
    if (has != samples) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s has %d trajectories of %d samples: run submit/vstar again, which takes those that"
                  + " are missing",
              store.location(Tables.TRAJECTORIES),
              has,
              samples));
    }
    return config.objective().readsSuccessesOnly()
        ? trajectories.where(trajectories.col("success"))
        : trajectories;
  }

  /** The first of each task, as V* is of them. */
  private Dataset<Row> wanted(Dataset<Row> rows, Set<String> tasks) {
    HashSet<String> ids = new HashSet<>(tasks);
    UDF1<String, Boolean> trains = ids::contains;
    return rows.where(rows.col("sample_index").lt(config.vstar().samples()))
        .where(udf(trains, DataTypes.BooleanType).apply(rows.col("task_id")));
  }
}
