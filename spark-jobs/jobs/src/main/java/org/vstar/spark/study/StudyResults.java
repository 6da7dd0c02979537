package org.vstar.spark.study;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.RunStore;
import org.vstar.common.Seeds;
import org.vstar.spark.run.StudyConfig;
import org.vstar.spark.score.Interval;
import org.vstar.spark.score.SeedMean;
import org.vstar.spark.store.Store;
import org.vstar.spark.study.UnitResult.Point;
import org.vstar.spark.table.Tables;

/**
 * What of a study is finished, and what it says.
 *
 * @param arms their finished runs, in the order of the config; an arm may have none yet
 */
record StudyResults(StudyConfig study, Map<String, List<UnitResult>> arms) {

  /** How far along a run is, for a curve's horizontal axis. */
  @FunctionalInterface
  interface Axis {
    double of(UnitResult run, Point point);
  }

  static StudyResults read(RunStore store, StudyConfig study) throws IOException {
    Map<String, List<UnitResult>> arms = new LinkedHashMap<>();
    for (String arm : study.arms().keySet()) {
      List<UnitResult> finished = new ArrayList<>();
      for (long seed : study.seeds()) {
        UnitResult.read(store, arm, seed).ifPresent(finished::add);
      }
      arms.put(arm, finished);
    }
    return new StudyResults(study, arms);
  }

  /** The arm that the others are compared with. */
  String first() {
    return arms.keySet().iterator().next();
  }

  /** How many runs are finished. */
  int runs() {
    return all().size();
  }

  private List<UnitResult> all() {
    return arms.values().stream().flatMap(List::stream).toList();
  }

  /** Writes the tables {@code study_runs}, {@code study_curves} and {@code study_episodes}. */
  void tables(SparkSession spark, Store store) {
    List<Row> runs = new ArrayList<>();
    List<Row> curves = new ArrayList<>();
    List<Row> episodes = new ArrayList<>();
    for (UnitResult run : all()) {
      runs.add(runRow(run));
      for (Point point : run.curve()) {
        curves.add(
            RowFactory.create(
                run.arm(),
                run.seed(),
                point.step(),
                point.rollouts(),
                run.seconds(point),
                point.success(),
                point.meanReturn()));
      }
      for (UnitResult.Episode episode : run.episodes()) {
        episodes.add(
            RowFactory.create(
                run.arm(),
                run.seed(),
                episode.taskId(),
                episode.cluster(),
                episode.success(),
                episode.episodeReturn()));
      }
    }
    Tables to = new Tables(spark, store);
    to.replaceStudy(Tables.STUDY_RUNS, runs);
    to.replaceStudy(Tables.STUDY_CURVES, curves);
    to.replaceStudy(Tables.STUDY_EPISODES, episodes);
  }

  private static Row runRow(UnitResult run) {
    Point last = run.last();
    return RowFactory.create(
        run.arm(),
        run.seed(),
        last.step(),
        last.rollouts(),
        run.stageOne().rollouts(),
        run.stageOne().seconds(),
        last.samplingSeconds(),
        last.tableSeconds(),
        last.updateSeconds(),
        run.episodes().stream().filter(UnitResult.Episode::success).count()
            / (double) run.episodes().size(),
        run.episodes().stream().mapToDouble(UnitResult.Episode::episodeReturn).average().orElse(0),
        run.episodes().size(),
        run.policy(),
        run.settings());
  }

  /** Final success of an arm, over seeds and tasks; none without a finished run. */
  Optional<SeedMean> success(String arm) {
    List<SeedMean.Value> values = new ArrayList<>();
    for (UnitResult run : arms.get(arm)) {
      for (UnitResult.Episode episode : run.episodes()) {
        values.add(
            new SeedMean.Value(
                Long.toString(run.seed()), episode.cluster(), episode.success() ? 1 : 0));
      }
    }
    return values.isEmpty() ? Optional.empty() : Optional.of(SeedMean.ofRate(values));
  }

  /** By how much an arm succeeds more often than another, task by task in the seeds of both. */
  Optional<SeedMean> difference(String arm, String other) {
    Map<String, Boolean> against = new TreeMap<>();
    for (UnitResult run : arms.get(other)) {
      run.episodes().forEach(e -> against.put(run.seed() + " " + e.taskId(), e.success()));
    }
    List<SeedMean.Value> values = new ArrayList<>();
    for (UnitResult run : arms.get(arm)) {
      for (UnitResult.Episode e : run.episodes()) {
        Boolean its = against.get(run.seed() + " " + e.taskId());
        if (its != null) {
          double gain = (e.success() ? 1 : 0) - (its ? 1 : 0);
          values.add(new SeedMean.Value(Long.toString(run.seed()), e.cluster(), gain));
        }
      }
    }
    return values.isEmpty() ? Optional.empty() : Optional.of(SeedMean.of(values));
  }

  /**
   * Success of an arm's runs when so much is spent: that of the last evaluation until then, and the
   * reference policy's before the first.
   *
   * @param budget along the axis
   */
  double[] successAt(String arm, Axis axis, double budget) {
    return arms.get(arm).stream()
        .mapToDouble(
            run ->
                run.curve().stream()
                    .filter(point -> axis.of(run, point) <= budget)
                    .reduce((earlier, later) -> later)
                    .orElse(run.curve().get(0))
                    .success())
        .toArray();
  }

  /**
   * Success at nine tenths of what the best arm gained over the reference policy, on the
   * evaluations during training; none before a run is finished.
   */
  OptionalDouble mostOfTheGain() {
    double start =
        all().stream().mapToDouble(run -> run.curve().get(0).success()).average().orElse(0);
    OptionalDouble best =
        arms.values().stream()
            .filter(runs -> !runs.isEmpty())
            .mapToDouble(
                runs -> runs.stream().mapToDouble(run -> run.last().success()).average().orElse(0))
            .max();
    return best.isPresent() ? OptionalDouble.of(start + 0.9 * (best.getAsDouble() - start)) : best;
  }

  /**
   * Where a run's curve first reaches a rate of success, between two evaluations on the straight
   * line through them; none if it does not.
   */
  static OptionalDouble reached(UnitResult run, double success, Axis axis) {
    Point before = null;
    for (Point point : run.curve()) {
      if (point.success() >= success) {
        double here = axis.of(run, point);
        if (before == null) {
          return OptionalDouble.of(here);
        }
        double share = (success - before.success()) / (point.success() - before.success());
        double there = axis.of(run, before);
        return OptionalDouble.of(there + share * (here - there));
      }
      before = point;
    }
    return OptionalDouble.empty();
  }

  /**
   * When the runs of an arm reach a rate of success.
   *
   * @param runs how many there are
   * @param each of those that reach it
   */
  record Reached(int runs, double[] each) {
    boolean all() {
      return runs > 0 && each.length == runs;
    }

    double mean() {
      return mean(each);
    }

    private static double mean(double[] values) {
      double sum = 0;
      for (double value : values) {
        sum += value;
      }
      return sum / values.length;
    }
  }

  Reached reached(String arm, double success, Axis axis) {
    List<UnitResult> runs = arms.get(arm);
    double[] each =
        runs.stream()
            .map(run -> reached(run, success, axis))
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .toArray();
    return new Reached(runs.size(), each);
  }

  /**
   * How many times as much an arm needs as another to reach a rate of success.
   *
   * @param ratio of the means over seeds
   * @param interval 95 %, by resampling the seeds of both; of one seed it is the ratio alone
   */
  record Ratio(double ratio, Interval interval) {}

  /** None if not all runs of both reach it, or the other is there from the start. */
  Optional<Ratio> ratio(String arm, String other, double success, Axis axis) {
    Reached own = reached(arm, success, axis);
    Reached its = reached(other, success, axis);
    if (!own.all() || !its.all() || its.mean() == 0) {
      return Optional.empty();
    }
    SplittableRandom random = Seeds.random(study.bootstrapSeed(), "bootstrap", arm, other);
    double[] ratios = new double[study.bootstrap()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = resampled(own.each, random) / resampled(its.each, random);
    }
    Arrays.sort(ratios);
    Interval interval =
        new Interval(
            ratios[(int) (0.025 * (ratios.length - 1))],
            ratios[(int) (0.975 * (ratios.length - 1))]);
    return Optional.of(new Ratio(own.mean() / its.mean(), interval));
  }

  private static double resampled(double[] values, SplittableRandom random) {
    double sum = 0;
    for (int i = 0; i < values.length; i++) {
      sum += values[random.nextInt(values.length)];
    }
    return sum / values.length;
  }
}
