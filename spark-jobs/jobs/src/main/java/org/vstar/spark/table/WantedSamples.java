package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * How many samples each task should have, and what is believed of its V* beside them.
 *
 * @param tasks rows of task_id, wanted, v_star_shrunk
 * @param same what all tasks should have, if that is the same
 */
public record WantedSamples(Dataset<Row> tasks, OptionalInt same) {

  private static final StructType COLUMNS =
      new StructType()
          .add("task_id", DataTypes.StringType, false)
          .add("wanted", DataTypes.IntegerType, false)
          .add("v_star_shrunk", DataTypes.DoubleType, true);

  /** As many of each task, of which nothing else is believed. */
  public static WantedSamples all(Dataset<Row> tasks, int samples) {
    return new WantedSamples(
        tasks.select(
            col("task_id"),
            lit(samples).as("wanted"),
            lit(null).cast(DataTypes.DoubleType).as("v_star_shrunk")),
        OptionalInt.of(samples));
  }

  /**
   * Some of each task.
   *
   * @param wanted by task
   * @param shrunk what is believed, by task; a task may be missing
   */
  public static WantedSamples of(
      SparkSession spark, Map<String, Integer> wanted, Map<String, Double> shrunk) {
    List<Row> rows = new ArrayList<>();
    wanted.forEach((task, samples) -> rows.add(RowFactory.create(task, samples, shrunk.get(task))));
    return new WantedSamples(spark.createDataFrame(rows, COLUMNS), OptionalInt.empty());
  }

  /** Those of the samples that are among the first that their tasks should have. */
  public Dataset<Row> of(Dataset<Row> samples) {
    if (same.isPresent()) {
      return samples.where(col("sample_index").lt(same.getAsInt()));
    }
    return samples.join(tasks, "task_id").where(col("sample_index").lt(col("wanted")));
  }
}
