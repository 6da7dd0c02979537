package org.vstar.spark.measure;

import static org.apache.spark.sql.functions.col;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.vstar.spark.score.ClusteredMean;
import org.vstar.spark.score.Interval;
import org.vstar.spark.table.Columns;
import org.vstar.spark.table.Tables;
import scala.Tuple2;

/**
 * What reinforcement learning can add to a reference policy, as its samples of train tasks show
 * before any training. Where a task's samples all end alike, an advantage has nothing to say.
 *
 * @param measures shares, pass@k, E[A²] under each baseline, and what a share of the tasks keeps
 */
public record Headroom(List<Measure> measures) {

  /**
   * One number.
   *
   * @param measure its name
   * @param of what it is measured for, the k of pass@k for example; empty where there is nothing to
   *     say
   * @param low of the 95 % interval, clustered; infinite where there is one cluster
   * @param tasks that have a value
   */
  public record Measure(
      String measure, String of, double value, double low, double high, long tasks) {

    private static Measure rate(String name, String of, ClusteredMean mean) {
      return of(name, of, mean, mean.rateInterval());
    }

    private static Measure of(String name, String of, ClusteredMean mean, Interval interval) {
      return new Measure(
          name, of, mean.mean(), interval.low(), interval.high(), Math.round(mean.tasks()));
    }

    private String line(boolean rate) {
      double unit = rate ? 100 : 1;
      String digits = rate ? "%6.1f %%   %5.1f – %5.1f %%" : "%8.4f %8.4f – %.4f";
      return String.format(
          Locale.ROOT,
          "%-44s " + digits + "%n",
          name() + (of.isEmpty() ? "" : " " + of),
          unit * value,
          unit * low,
          unit * high);
    }

    private String name() {
      return switch (measure) {
        case ALWAYS_FAIL -> "tasks that always fail";
        case ALWAYS_SUCCEED -> "tasks that always succeed";
        case MIXED -> "tasks of mixed outcome";
        case RETURNS_DIFFER -> "tasks whose returns differ";
        case PASS -> "pass@k, k =";
        case SQUARE -> "E[A²] against";
        default -> "variance kept by train.keep =";
      };
    }
  }

  private static final String ALWAYS_FAIL = "always_fail";
  private static final String ALWAYS_SUCCEED = "always_succeed";
  private static final String MIXED = "mixed";
  private static final String RETURNS_DIFFER = "returns_differ";
  private static final String PASS = "pass_at_k";
  private static final String SQUARE = "advantage_squared";
  private static final String KEPT = "variance_kept";

  /** With fewer tasks of mixed outcome, most rollouts of training teach nothing. */
  private static final double FEW_MIXED = 0.25;

  private static final List<String> SHARES =
      List.of(ALWAYS_FAIL, ALWAYS_SUCCEED, MIXED, RETURNS_DIFFER);
  private static final List<String> BASELINES = List.of("vstar", "mean", "zero");
  private static final double[] KEEP = {0.25, 0.5, 0.75};

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
            default -> 0;
          };
      return variance + (mean - against) * (mean - against);
    }

    /** Its value for each measure, in order; NaN where it has too few samples. */
    double[] values(int[] ks) {
      double[] values = new double[SHARES.size() + ks.length + BASELINES.size()];
      values[0] = successes == 0 ? 1 : 0;
      values[1] = successes == n ? 1 : 0;
      values[2] = successes > 0 && successes < n ? 1 : 0;
      values[3] = variance > 0 ? 1 : 0;
      for (int i = 0; i < ks.length; i++) {
        values[SHARES.size() + i] = ks[i] <= n ? pass(ks[i]) : Double.NaN;
      }
      for (int i = 0; i < BASELINES.size(); i++) {
        values[SHARES.size() + ks.length + i] = square(BASELINES.get(i));
      }
      return values;
    }
  }

  /** Measures the estimates that a run has; nothing where they are of no task that it has now. */
  public static Optional<Headroom> of(Tables tables) {
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
        measures.add(Measure.rate(share, "", means[at++]));
      }
      for (int k : ks) {
        measures.add(Measure.rate(PASS, String.valueOf(k), means[at++]));
      }
      for (String baseline : BASELINES) {
        measures.add(Measure.of(SQUARE, baseline, means[at], means[at++].interval()));
      }
      addKept(outcomes, measures);
      return Optional.of(new Headroom(List.copyOf(measures)));
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
        .reduceByKey(Headroom::added)
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
      measures.add(new Measure(KEPT, String.valueOf(keep), kept, kept, kept, variances.size()));
    }
  }

  /** Writes the table {@code headroom}. */
  public void write(Tables tables) {
    List<Row> rows =
        measures.stream()
            .map(m -> RowFactory.create(m.measure, m.of, m.value, m.low, m.high, m.tasks))
            .toList();
    tables.replaceHeadroom(tables.spark().createDataFrame(rows, Columns.HEADROOM), rows.size());
  }

  private double value(String measure) {
    return measures.stream()
        .filter(m -> m.measure.equals(measure))
        .reduce((first, last) -> last)
        .orElseThrow()
        .value;
  }

  /** A table and a sentence, for a person. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT, "%-44s %8s   %s%n", "headroom of the train tasks", "", "95 % interval"));
    measures.stream()
        .filter(m -> !m.measure.equals(KEPT))
        .forEach(m -> text.append(m.line(!m.measure.equals(SQUARE))));
    measures.stream()
        .filter(m -> m.measure.equals(KEPT))
        .forEach(
            m ->
                text.append(
                    String.format(
                        Locale.ROOT, "%-44s %6.1f %%%n", m.name() + " " + m.of, 100 * m.value)));
    return text.append(advice()).append('\n').toString();
  }

  /** What there is to learn from, and what to do where there is little. */
  public String advice() {
    double mixed = value(MIXED);
    double fail = value(ALWAYS_FAIL);
    double succeed = value(ALWAYS_SUCCEED);
    String share =
        String.format(
            Locale.ROOT,
            "%.0f %% of the tasks have mixed outcomes, and pass@k lies %.1f points above pass@1",
            100 * mixed,
            100 * (passOfAll() - first(PASS)));
    if (mixed >= FEW_MIXED) {
      return share + ": there is something to learn.";
    }
    return share
        + (succeed >= fail
            ? ": most tasks are solved already. Take a weaker or a warmer reference (fewer rounds of"
                + " warm start, a higher sampling.temperature), or harder tasks."
            : ": most tasks always fail. Take more samples (vstar.samples), a better reference, or"
                + " easier tasks.");
  }

  /** Pass@k for the largest k that all tasks have samples for: those of adaptive runs differ. */
  private double passOfAll() {
    long all = measures.stream().mapToLong(Measure::tasks).max().orElse(0);
    return measures.stream()
        .filter(m -> m.measure.equals(PASS) && m.tasks == all)
        .reduce((first, last) -> last)
        .orElseThrow()
        .value;
  }

  private double first(String measure) {
    return measures.stream().filter(m -> m.measure.equals(measure)).findFirst().orElseThrow().value;
  }
}
