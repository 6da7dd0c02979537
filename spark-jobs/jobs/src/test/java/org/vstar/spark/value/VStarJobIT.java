package org.vstar.spark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.value.ValueEstimate;
import org.vstar.model.value.ValueInterval;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.table.SamplePlan;
import org.vstar.spark.table.Tables;

class VStarJobIT {

  private static final String[] CONTRACT = {
    "task_id",
    "environment",
    "split",
    "prompt",
    "beta1",
    "v_star",
    "v_star_se",
    "v_star_low",
    "v_star_high",
    "v_star_bias",
    "v_star_shrunk",
    "n",
    "return_mean",
    "return_sd",
    "return_max",
    "all_alike",
    "success_rate",
    "ess",
    "policy_fingerprint",
    "environment_fingerprint",
    "reward_fingerprint",
    "sampling_fingerprint",
    "run_id"
  };

  @TempDir Path folder;
  private SparkSession spark = TestRun.session("local[2]");

  @AfterEach
  void stop() {
    spark.stop();
  }

  private TestRun run(String out, String... settings) throws IOException {
    return new TestRun(folder.resolve(out), settings).withReference(1);
  }

  /** The files of samples, as manifests name them. */
  private static List<DataFile> files(TestRun run) {
    return List.copyOf(new TableLog(run.folder().store(), Tables.SAMPLES).now().files().values());
  }

  /** The files that a unit has ever had. */
  private static Set<DataFile> units(TestRun run) {
    return new TableLog(run.folder().store(), Tables.SAMPLES)
        .all().stream()
            .flatMap(state -> state.files().values().stream())
            .filter(file -> file.name().contains("/units/"))
            .collect(Collectors.toSet());
  }

  /** What a job writes last: the hash of the rows of {@code vstar}. */
  private static String success(TestRun run) throws IOException {
    return Files.readString(run.path("tables/_log/vstar/_SUCCESS"));
  }

  @Test
  void tablesAreTheSameRowForRowOnOneThreadAndOnTwoAndWithoutTheCacheOfOutcomes()
      throws IOException {
    TestRun two = run("two");
    assertThat(two.run(new VStarJob())).as(two.errors()).isZero();
    assertThat(success(two)).matches("[0-9a-f]{16}\n");
    List<String> samples = two.samples(spark);
    List<String> values = two.values(spark);
    assertThat(samples).hasSize(2 * two.trainTasks()).doesNotHaveDuplicates();
    assertThat(values).hasSize(two.trainTasks());
    spark.stop();
    spark = TestRun.session("local[1]");
    TestRun one = run("one", "cacheOutcomes=false");
    assertThat(one.run(new VStarJob())).as(one.errors()).isZero();
    assertThat(one.samples(spark)).isEqualTo(samples);
    assertThat(one.values(spark)).isEqualTo(values);
    assertThat(success(one)).isEqualTo(success(two));
  }

  private static boolean isOf(DataFile file, SamplePlan.Unit unit) {
    return file.name().contains("/unit-" + unit.name() + "-") && file.parts().equals(unit.parts());
  }

  @Test
  void aRunThatWasKilledKeepsItsUnitsAndEndsWithTheSameRows() throws Exception {
    TestRun killed =
        TestRun.without("vstar.samples", folder.resolve("killed"), "vstar.tasksPerUnit=5")
            .withReference(1);
    Process process = killed.start(VStarJob.class, "--samples", "10");
    while (process.isAlive() && files(killed).size() < 3) {
      Thread.sleep(20);
    }
    process.destroyForcibly().waitFor();
    List<DataFile> finished = files(killed);
    long kept = finished.stream().mapToLong(DataFile::rows).sum();
    assertThat(kept).as("killed midway").isBetween(3L, 10L * killed.trainTasks() - 1);
    Store store = killed.folder().store();
    SamplePlan plan =
        SamplePlan.newest(store, new TableLog(store, Tables.SAMPLES).now().about()).orElseThrow();
    assertThat(plan.samples()).isEqualTo(10L * killed.trainTasks());
    assertThat(killed.run(new VStarJob(), "--resume")).as(killed.errors()).isZero();
    assertThat(units(killed))
        .containsAll(finished)
        .as("are of the units that were planned before the first sample")
        .allMatch(file -> plan.units().stream().anyMatch(unit -> isOf(file, unit)));
    assertThat(units(killed).stream().mapToLong(DataFile::rows).sum())
        .as("no sample was taken twice")
        .isEqualTo(10L * killed.trainTasks());

    TestRun whole = run("whole", "vstar.samples=10");
    assertThat(whole.run(new VStarJob())).isZero();
    assertThat(killed.samples(spark)).isEqualTo(whole.samples(spark));
    assertThat(killed.values(spark)).isEqualTo(whole.values(spark));
  }

  @Test
  void aJobBesideAnotherOnTheSameRunIsRefusedAndTheOtherIsNotDisturbed() throws Exception {
    String fewer = "environment.testTargets=300";
    TestRun shared = run("shared", "vstar.tasksPerUnit=5", "vstar.samples=4", fewer);
    Process first = shared.start(VStarJob.class);
    while (first.isAlive() && files(shared).isEmpty()) {
      Thread.sleep(20);
    }
    assertRefused(shared, "tables is being written by submit/vstar, process " + first.pid());
    assertThat(first.waitFor()).isZero();
    TestRun alone = run("alone", "vstar.samples=4", fewer);
    assertThat(alone.run(new VStarJob())).isZero();
    assertThat(shared.samples(spark)).isEqualTo(alone.samples(spark));
    assertThat(shared.values(spark)).isEqualTo(alone.values(spark));
  }

  @Test
  void whatAKilledJobHadBegunToWriteIsCleanedUp() throws IOException {
    TestRun run = run("run");
    Path samples = Files.createDirectories(run.path("tables/samples"));
    Files.write(samples.resolve(".unit-1.parquet-2.partial"), new byte[9]);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    try (Stream<Path> left = Files.walk(run.path("tables"))) {
      assertThat(left).noneMatch(file -> file.toString().endsWith("partial"));
    }
  }

  @Test
  void manyUnitsBecomeOneFileForReadersAndThoseWhoReadTheFolderSeeTheSame() throws IOException {
    TestRun run = run("run", "vstar.tasksPerUnit=5");
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(files(run)).hasSize(1);
    try (Stream<Path> units = Files.list(run.path("tables/_log/samples/units"))) {
      assertThat(units).hasSizeGreaterThan(60);
    }
    assertThat(spark.read().parquet(run.path("tables/samples").toString()).count())
        .isEqualTo(run.samples(spark).size());
  }

  @Test
  void askingForMoreSamplesAddsTheMissingOnesAndAnotherBeta1AddsNone() throws IOException {
    TestRun few = run("run");
    assertThat(few.run(new VStarJob())).isZero();
    List<DataFile> before = files(few);
    TestRun more = run("run");
    assertThat(more.run(new VStarJob(), "--samples", "3")).isZero();
    assertThat(files(more)).containsAll(before).hasSize(2);
    TestRun direct = run("direct", "vstar.samples=3");
    assertThat(direct.run(new VStarJob())).isZero();
    assertThat(more.samples(spark)).isEqualTo(direct.samples(spark));
    assertThat(more.values(spark)).isEqualTo(direct.values(spark));

    List<DataFile> all = files(more);
    TestRun mean = run("run", "vstar.samples=3", "vstar.beta1=0");
    assertThat(mean.run(new VStarJob())).isZero();
    assertThat(files(mean)).isEqualTo(all);
    assertThat(
            JobContext.tables(spark, mean.folder())
                .vstar()
                .where("v_star <> return_mean")
                .collectAsList())
        .isEmpty();
  }

  @Test
  void valuesAreTheEstimatesOfTheSamplesAndColumnsAreTheContract() throws IOException {
    TestRun run = run("run", "vstar.samples=4");
    assertThat(run.run(new VStarJob())).isZero();
    Tables tables = JobContext.tables(spark, run.folder());
    assertThat(tables.vstar().columns()).containsExactly(CONTRACT);
    Row value = tables.vstar().orderBy(org.apache.spark.sql.functions.desc("return_sd")).first();
    double[] returns =
        tables
            .samples()
            .where("task_id = '" + value.getAs("task_id") + "'")
            .orderBy("sample_index")
            .collectAsList()
            .stream()
            .mapToDouble(r -> r.<Double>getAs("return"))
            .toArray();
    ValueEstimate expected = ValueEstimate.of(returns, 0.5);
    assertThat(value.<Double>getAs("v_star")).isEqualTo(expected.vStar());
    assertThat(value.<Double>getAs("v_star_se")).isEqualTo(expected.standardError());
    Row ends = tables.samples().selectExpr("min(return)", "max(return)").first();
    ValueInterval interval = ValueInterval.of(returns, 0.5, ends.getDouble(0), ends.getDouble(1));
    assertThat(value.<Double>getAs("v_star_low")).isEqualTo(interval.low());
    assertThat(value.<Double>getAs("v_star_high")).isEqualTo(interval.high());
    assertThat(value.<Double>getAs("v_star_bias")).isEqualTo(expected.bias(0.5)).isNegative();
    assertThat(value.<Boolean>getAs("all_alike")).isFalse();
    assertThat(tables.vstar().where("all_alike <> (return_sd = 0)").count()).isZero();
    assertThat(value.<Double>getAs("ess")).isEqualTo(expected.effectiveSampleSize());
    assertThat(value.<Integer>getAs("n")).isEqualTo(4);
  }

  @Test
  void anotherPolicyEnvironmentRewardSamplingOrSeedBeginsAnotherRunAndTheFirstComesBack()
      throws IOException {
    TestRun run = run("run");
    assertThat(run.run(new VStarJob())).isZero();
    List<String> before = run.samples(spark);
    List<String> values = run.values(spark);
    Map<String, String> others = new LinkedHashMap<>();
    others.put("environment.rewards.preset=sparse", "reward_fingerprint ");
    others.put("sampling.temperature=0.9", "sampling_fingerprint ");
    others.put("environment.testTargets=90", "environment_fingerprint ");
    others.put("seed=8", "seed 7, this run has 8");
    for (Map.Entry<String, String> other : others.entrySet()) {
      assertBeginsAnother(run("run", other.getKey()), other.getValue(), before);
    }
    TestRun policy = new TestRun(folder.resolve("run")).withReference(2);
    assertBeginsAnother(policy, "policy_fingerprint ", before);
    TestRun again = run("run");
    assertThat(again.run(new VStarJob())).as(again.errors()).isZero();
    assertThat(again.samples(spark)).isEqualTo(before);
    assertThat(again.values(spark)).isEqualTo(values);
  }

  private void assertBeginsAnother(TestRun next, String difference, List<String> before)
      throws IOException {
    assertThat(next.run(new VStarJob(), "--resume")).isEqualTo(2);
    assertThat(next.errors()).contains("is of another run (", difference);
    assertThat(next.run(new VStarJob())).as(next.errors()).isZero();
    assertThat(next.samples(spark)).hasSize(2 * next.trainTasks()).isNotEqualTo(before);
  }

  private static void assertRefused(TestRun run, String message) {
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(run.errors().lines().filter(l -> l.startsWith("error: ")))
        .singleElement()
        .asString()
        .contains(message);
  }
}
