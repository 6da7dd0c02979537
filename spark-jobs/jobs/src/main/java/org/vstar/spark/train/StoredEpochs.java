package org.vstar.spark.train;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.types.DataTypes;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Task;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.StoredTrajectories;
import org.vstar.spark.table.TrajectoryFile;

/**
 * Rows of a table of trajectories, epoch after epoch, each in an order of its own. The order is
 * that of a hash of the seed, the epoch and the sample's key: it depends neither on how the table
 * lies in files nor on who reads it. Spark sorts; the driver holds one shard at a time, so that the
 * table may be larger than its memory.
 */
final class StoredEpochs implements StoredTrajectories {

  private static final String PLACE = "place";

  private final Dataset<Row> rows;
  private final Map<String, Task> tasks;
  private final long seed;
  private final int origin;
  private final int shard;
  private final long count;
  private final long total;
  private Iterator<Row> next;
  private long cursor = -1;

  /**
   * Counts the rows.
   *
   * @param rows of {@code trajectories}, those that train
   * @param tasks by id, of all rows
   * @param origin how many updates the policy had behind it that the rows are of: part of the
   *     order's seed
   * @param epochs passes; 0 for as many as are asked for
   * @param shard how many rows the driver holds at once
   * @throws InvalidInputException if there are no rows
   */
  StoredEpochs(
      Dataset<Row> rows, Map<String, Task> tasks, long seed, int origin, int epochs, int shard) {
    this.rows = rows;
    this.tasks = tasks;
    this.seed = seed;
    this.origin = origin;
    this.shard = shard;
    this.count = rows.count();
    this.total = epochs == 0 ? Long.MAX_VALUE : epochs * count;
    if (count == 0) {
      throw new InvalidInputException(
          "no sample of the reference policy trains: it never succeeded, or train.keep leaves no"
              + " task");
    }
  }

  /** How many trajectories an epoch has. */
  long count() {
    return count;
  }

  @Override
  public List<Trajectory> from(long from, int wanted) {
    if (from != cursor) {
      open(from);
    }
    List<Trajectory> taken = new ArrayList<>();
    while (taken.size() < wanted && cursor < total) {
      if (!next.hasNext()) {
        open(cursor);
      }
      Row row = next.next();
      taken.add(TrajectoryFile.trajectory(row, tasks.get(row.<String>getAs("task_id"))));
      cursor++;
    }
    return taken;
  }

  private void open(long from) {
    long epoch = from / count;
    int before = (int) (from % count);
    Dataset<Row> placed = rows.withColumn(PLACE, place(epoch));
    int skip = 0;
    if (before > 0) {
      long[] places =
          placed.select(PLACE).collectAsList().stream().mapToLong(row -> row.getLong(0)).toArray();
      Arrays.sort(places);
      placed = placed.where(col(PLACE).geq(places[before]));
      skip = before - firstOf(places, before);
    }
    int shards = (int) Math.max(1, (count + shard - 1) / shard);
    next =
        placed
            .repartitionByRange(shards, col(PLACE))
            .sortWithinPartitions(PLACE, "task_id", "sample_index")
            .toLocalIterator();
    for (int i = 0; i < skip; i++) {
      next.next();
    }
    cursor = from;
  }

  /** Where those begin that have the same place as one of them. */
  private static int firstOf(long[] places, int one) {
    int first = one;
    while (first > 0 && places[first - 1] == places[one]) {
      first--;
    }
    return first;
  }

  private Column place(long epoch) {
    long own = seed;
    int of = origin;
    UDF2<String, Integer, Long> hash =
        (task, index) -> Seeds.derive(own, "order of trajectories", of, epoch, task, index);
    UserDefinedFunction place = udf(hash, DataTypes.LongType);
    return place.apply(col("task_id"), col("sample_index"));
  }
}
