package org.vstar.spark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.commons.math3.util.CombinatoricsUtils;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.report.TrainingRecord;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.score.Headroom;
import org.vstar.spark.score.Headroom.Measure;
import org.vstar.spark.table.Tables;
import org.vstar.spark.value.HeadroomJob;
import org.vstar.spark.value.VStarJob;

/** What the headroom of a run says, against its samples one by one. */
class HeadroomIT {

  @TempDir private Path folder;
  private SparkSession spark;

  @BeforeEach
  void start() {
    spark = TestRun.session("local[2]");
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  /** The mean over tasks. */
  private static double mean(
      Map<String, List<Row>> samples, ToDoubleFunction<Map.Entry<String, List<Row>>> of) {
    return samples.entrySet().stream().mapToDouble(of).average().orElseThrow();
  }

  private static long won(List<Row> samples) {
    return samples.stream().filter(row -> row.getBoolean(2)).count();
  }

  private static double pass(List<Row> samples, int k) {
    int lost = samples.size() - (int) won(samples);
    return lost < k
        ? 1
        : 1
            - (double) CombinatoricsUtils.binomialCoefficient(lost, k)
                / CombinatoricsUtils.binomialCoefficient(samples.size(), k);
  }

  private static double square(List<Row> samples, double baseline) {
    return samples.stream()
        .mapToDouble(row -> Math.pow(row.getDouble(1) - baseline, 2))
        .average()
        .orElseThrow();
  }

  private static double returns(List<Row> samples) {
    return samples.stream().mapToDouble(row -> row.getDouble(1)).average().orElseThrow();
  }

  @Test
  void theHeadroomIsThatOfTheSamplesOneByOne() throws IOException {
    TestRun run = new TestRun(folder.resolve("run"), "vstar.samples=6").withReference(1);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    Tables tables = JobContext.tables(spark, run.folder());
    Map<String, List<Row>> samples =
        tables.samples().select("task_id", "return", "success").collectAsList().stream()
            .collect(Collectors.groupingBy(row -> row.getString(0)));
    Map<String, Double> vStar = new HashMap<>();
    tables
        .vstar()
        .select("task_id", "v_star")
        .collectAsList()
        .forEach(row -> vStar.put(row.getString(0), row.getDouble(1)));
    Map<String, Double> expected = new HashMap<>();
    expected.put("always_fail ", mean(samples, t -> won(t.getValue()) == 0 ? 1 : 0));
    expected.put("always_succeed ", mean(samples, t -> won(t.getValue()) == 6 ? 1 : 0));
    expected.put("mixed ", mean(samples, t -> won(t.getValue()) % 6 == 0 ? 0 : 1));
    for (int k : new int[] {1, 2, 4, 6}) {
      expected.put("pass_at_k " + k, mean(samples, t -> pass(t.getValue(), k)));
    }
    expected.put(
        "advantage_squared vstar", mean(samples, t -> square(t.getValue(), vStar.get(t.getKey()))));
    expected.put(
        "advantage_squared mean", mean(samples, t -> square(t.getValue(), returns(t.getValue()))));
    expected.put("advantage_squared zero", mean(samples, t -> square(t.getValue(), 0)));

    Headroom headroom = HeadroomTable.update(tables).orElseThrow();
    Map<String, Measure> found = new HashMap<>();
    headroom.measures().forEach(m -> found.put(m.measure() + " " + m.of(), m));
    expected.forEach(
        (name, value) -> {
          assertThat(found.get(name).value()).as(name).isCloseTo(value, within(1e-8));
          assertThat(value).isBetween(found.get(name).low() - 1e-8, found.get(name).high() + 1e-8);
          assertThat(found.get(name).tasks()).isEqualTo(347);
        });
    assertThat(found.keySet())
        .containsAll(expected.keySet())
        .contains(
            "returns_differ ", "variance_kept 0.25", "variance_kept 0.5", "variance_kept 0.75");
    assertThat(found.get("variance_kept 0.75").value())
        .isGreaterThan(found.get("variance_kept 0.25").value())
        .isGreaterThan(0.75);

    // The job writes the table at its end, and the command writes it again.
    String out = run.path("").toString();
    assertThat(run.runPlain(new HeadroomJob(), "--out", out)).as(run.errors()).isZero();
    List<Row> table = spark.read().parquet(run.path("tables/headroom").toString()).collectAsList();
    assertThat(table).hasSameSizeAs(headroom.measures());
    assertThat(TrainingRecord.values(tables).headroom()).contains(headroom);
    assertThat(headroom.text())
        .contains("tasks of mixed outcome", "pass@k, k = 4", headroom.advice());
  }

  private static Headroom headroom(double fail, double succeed, double mixed) {
    return Headroom.of(
        List.of(
            new Measure("always_fail", "", fail, 0, 1, 10),
            new Measure("always_succeed", "", succeed, 0, 1, 10),
            new Measure("mixed", "", mixed, 0, 1, 10),
            new Measure("pass_at_k", "1", 0.2, 0, 1, 10),
            new Measure("pass_at_k", "4", 0.5, 0, 1, 10)));
  }

  @Test
  void whereThereIsLittleToLearnASentenceSaysWhatToDo() {
    assertThat(headroom(0.1, 0.8, 0.1).advice())
        .startsWith(
            "10 % of the tasks have mixed outcomes, and pass@k lies 30.0 points above pass@1")
        .contains("a weaker or a warmer reference");
    assertThat(headroom(0.8, 0.1, 0.1).advice()).contains("Take more samples");
    assertThat(headroom(0.3, 0.3, 0.4).advice()).endsWith("there is something to learn.");
  }

  @Test
  void aRunWithoutValuesIsRefused() throws IOException {
    TestRun run = new TestRun(folder.resolve("empty")).withReference(1);
    assertThat(run.runPlain(new HeadroomJob(), "--out", run.path("").toString())).isEqualTo(2);
    assertThat(run.errors()).contains("run submit/vstar first");
  }
}
