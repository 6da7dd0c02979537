package org.vstar.spark.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.SparkSession;

/**
 * Times the SQL functions over many made-up samples beside Spark's {@code avg}, in turns. Prints
 * the median seconds of each, and how many times {@code avg}'s.
 */
public final class SqlFunctions {

  private static final int ROUNDS = 5;
  private static final long TASKS = 10_000;

  private static final List<String> FUNCTIONS =
      List.of(
          "avg(return)",
          "stddev(return)",
          "vstar(return, 0.5)",
          "vstar_se(return, 0.5)",
          "ess(return, 0.5)");

  private SqlFunctions() {}

  /**
   * Runs the benchmark.
   *
   * @param args a new folder for the samples, and how many
   */
  public static void main(String[] args) throws IOException {
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      long rows = Long.parseLong(args[1]);
      spark
          .range(rows)
          .selectExpr(
              "id % " + TASKS + " AS task", "(xxhash64(id) & 1023) / 1023D - 0.1D AS return")
          .write()
          .parquet(args[0]);
      spark.read().parquet(args[0]).createOrReplaceTempView("made_up");
      Map<String, double[]> seconds = new LinkedHashMap<>();
      for (int round = -1; round < ROUNDS; round++) {
        for (String function : FUNCTIONS) {
          double took = seconds(spark, function);
          if (round >= 0) {
            seconds.computeIfAbsent(function, f -> new double[ROUNDS])[round] = took;
          }
        }
      }
      report(rows, seconds);
    }
  }

  private static double seconds(SparkSession spark, String function) {
    long start = System.nanoTime();
    spark
        .sql("SELECT sum(v) FROM (SELECT " + function + " AS v FROM made_up GROUP BY task)")
        .collectAsList();
    return (System.nanoTime() - start) / 1e9;
  }

  private static void report(long rows, Map<String, double[]> seconds) {
    double base = median(seconds.get(FUNCTIONS.get(0)));
    System.out.printf(Locale.ROOT, "%d samples of %d tasks%n", rows, TASKS);
    seconds.forEach(
        (function, took) ->
            System.out.printf(
                Locale.ROOT,
                "%-22s %6.2f s  %.2f×%n",
                function,
                median(took),
                median(took) / base));
  }

  private static double median(double[] seconds) {
    double[] sorted = seconds.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
