package org.vstar.spark.measure;

import static org.apache.spark.sql.functions.col;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.vstar.spark.score.ClusteredMean;
import org.vstar.spark.score.Headroom;
import org.vstar.spark.score.Headroom.Measure;
import org.vstar.spark.score.Interval;
import org.vstar.spark.table.Columns;
import org.vstar.spark.table.Tables;
import scala.Tuple2;

/** Measures the headroom of a run's train tasks from its estimates, and writes it as a table. */
public final class HeadroomTable {

  /** Sums that are taken in parallel differ in their last digits by the order of their parts. */
  private static final double ROUNDING = 1e9;

  private static final List<String> SHARES =
      List.of(
          Headroom.ALWAYS_FAIL, Headroom.ALWAYS_SUCCEED, Headroom.MIXED, Headroom.RETURNS_DIFFER);

  /** Shares of the tasks whose kept variance is told: what {@code train.keep} could be. */
  private static final double[] KEEP = {0.25, 0.5, 0.75};

  private HeadroomTable() {}

  /** A task's samples in numbers. */
  private record TaskOutcome(
      String cluster, long n, long successes, double vStar, double mean, double variance)
      implements Serializable {

    static TaskOutcome of(Row row) {
      int n = row.getInt(1);
      double sd = n < 2 ? 0 : row.getDouble(5);
      double variance = row.getBoolean(6) ? 0 : sd * sd * (n - 1) / n;
      return new TaskOutcome(
          row.getString(0),
          n,
          Math.round(row.getDouble(2) * n),
          row.getDouble(3),
          row.getDouble(4),
          variance);
    }

    /** The probability that one of k of its samples succeeds: 1 − C(n−c, k) / C(n, k). */
    double pass(int k) {
      double none = 1;
      for (int i = 0; i < k; i++) {
        none *= Math.max(0, n - successes - i) / (double) (n - i);
      }
      return 1 - none;
    }

    /** E (r − b)² over its samples. */
    double square(String baseline) {
      double against =
          switch (baseline) {
            case "vstar" -> vStar;
            case "mean" -> mean;
            case "zero" -> 0;
            default -> throw new IllegalArgumentException(baseline);
          };
      return variance + (mean - against) * (mean - against);
    }

    /** Its value for each measure, in order; NaN where it has too few samples. */
    double[] values(int[] ks) {
      double[] values = new double[SHARES.size() + ks.length + Headroom.BASELINES.size()];
      values[0] = successes == 0 ? 1 : 0;
      values[1] = successes == n ? 1 : 0;
      values[2] = successes > 0 && successes < n ? 1 : 0;
      values[3] = variance > 0 ? 1 : 0;
      for (int i = 0; i < ks.length; i++) {
        values[SHARES.size() + i] = ks[i] <= n ? pass(ks[i]) : Double.NaN;
      }
      for (int i = 0; i < Headroom.BASELINES.size(); i++) {
        values[SHARES.size() + ks.length + i] = square(Headroom.BASELINES.get(i));
      }
      return values;
    }
  }

  /**
   * Measures the estimates that a run has, and writes the table {@code headroom} in the place of
   * the former one.
   *
   * @return nothing where they are of no task that the run has now
   */
  public static Optional<Headroom> update(Tables tables) {
    Optional<Headroom> measured = measure(tables);
    measured.ifPresent(
        headroom -> {
          List<Row> rows =
              headroom.measures().stream()
                  .map(
                      m ->
                          RowFactory.create(
                              m.measure(), m.of(), m.value(), m.low(), m.high(), m.tasks()))
                  .toList();
          tables.replaceHeadroom(
              tables.spark().createDataFrame(rows, Columns.HEADROOM), rows.size());
        });
    return measured;
  }

  private static Optional<Headroom> measure(Tables tables) {
    JavaRDD<TaskOutcome> outcomes =
        tables
            .vstar()
            .join(tables.tasks().select(col("task_id"), col("cluster")), "task_id")
            .select(
                "cluster", "n", "success_rate", "v_star", "return_mean", "return_sd", "all_alike")
            .javaRDD()
            .map(TaskOutcome::of)
            .cache();
    try {
      if (outcomes.isEmpty()) {
        return Optional.empty();
      }
      int[] ks = ks(outcomes.map(TaskOutcome::n).reduce(Math::max));
      ClusteredMean[] means = means(outcomes, ks);
      List<Measure> measures = new ArrayList<>();
      int at = 0;
      for (String share : SHARES) {
        measures.add(rate(share, "", means[at++]));
      }
      for (int k : ks) {
        measures.add(rate(Headroom.PASS, String.valueOf(k), means[at++]));
      }
      for (String baseline : Headroom.BASELINES) {
        measures.add(measure(Headroom.SQUARE, baseline, means[at], means[at++].interval()));
      }
      addKept(outcomes, measures);
      return Optional.of(Headroom.of(measures));
    } finally {
      outcomes.unpersist();
    }
  }

  /** 1, 2, 4, … and N. */
  private static int[] ks(long most) {
    TreeSet<Integer> ks = new TreeSet<>();
    for (int k = 1; k < most; k *= 2) {
      ks.add(k);
    }
    ks.add((int) most);
    return ks.stream().mapToInt(Integer::intValue).toArray();
  }

  private static ClusteredMean[] means(JavaRDD<TaskOutcome> outcomes, int[] ks) {
    return outcomes
        .mapToPair(outcome -> new Tuple2<>(outcome.cluster(), sums(outcome.values(ks))))
        .reduceByKey(HeadroomTable::added)
        .values()
        .map(
            sums -> {
              ClusteredMean[] means = new ClusteredMean[sums.length / 2];
              Arrays.setAll(means, i -> ClusteredMean.ofCluster(sums[2 * i], sums[2 * i + 1]));
              return means;
            })
        .reduce(
            (a, b) -> {
              ClusteredMean[] both = new ClusteredMean[a.length];
              Arrays.setAll(both, i -> a[i].plus(b[i]));
              return both;
            });
  }

  /** Of each value whether there is one, and the value. */
  private static double[] sums(double[] values) {
    double[] sums = new double[2 * values.length];
    for (int i = 0; i < values.length; i++) {
      boolean there = !Double.isNaN(values[i]);
      sums[2 * i] = there ? 1 : 0;
      sums[2 * i + 1] = there ? values[i] : 0;
    }
    return sums;
  }

  private static double[] added(double[] a, double[] b) {
    double[] both = new double[a.length];
    Arrays.setAll(both, i -> a[i] + b[i]);
    return both;
  }

  /** How much of the variance within tasks is left with a share of the tasks, as StarPO-S keeps. */
  private static void addKept(JavaRDD<TaskOutcome> outcomes, List<Measure> measures) {
    List<Double> variances =
        new ArrayList<>(outcomes.map(TaskOutcome::variance).sortBy(v -> -v, true, 1).collect());
    double all = variances.stream().mapToDouble(Double::doubleValue).sum();
    for (double keep : KEEP) {
      int count = (int) Math.ceil(keep * variances.size());
      double kept =
          all == 0
              ? 0
              : variances.subList(0, count).stream().mapToDouble(Double::doubleValue).sum() / all;
      measures.add(
          new Measure(Headroom.KEPT, String.valueOf(keep), kept, kept, kept, variances.size()));
    }
  }

  private static Measure rate(String name, String of, ClusteredMean mean) {
    return measure(name, of, mean, mean.rateInterval());
  }

  private static Measure measure(String name, String of, ClusteredMean mean, Interval interval) {
    return new Measure(
        name,
        of,
        rounded(mean.mean()),
        rounded(interval.low()),
        rounded(interval.high()),
        Math.round(mean.count()));
  }

  private static double rounded(double x) {
    return Double.isInfinite(x) ? x : Math.rint(x * ROUNDING) / ROUNDING;
  }
}
