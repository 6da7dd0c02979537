package org.vstar.spark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

  private List<String> samples(TestRun run) {
    return JobContext.tables(spark, run.folder())
        .samples()
        .drop("duration_ms")
        .orderBy("task_id", "sample_index")
        .collectAsList()
        .stream()
        .map(Row::json)
        .toList();
  }

  private List<String> values(TestRun run) {
    return JobContext.tables(spark, run.folder())
        .vstar()
        .orderBy("task_id")
        .collectAsList()
        .stream()
        .map(Row::json)
        .toList();
  }

  private static Map<Path, FileTime> files(TestRun run) throws IOException {
    Map<Path, FileTime> times = new TreeMap<>();
    try (Stream<Path> files = Files.list(run.path("tables/samples"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".parquet")).toList()) {
        times.put(file, Files.getLastModifiedTime(file));
      }
    }
    return times;
  }

  @Test
  void tablesAreTheSameRowForRowOnOneThreadTwoThreadsAndTwoExecutorProcesses() throws IOException {
    TestRun two = run("two");
    assertThat(two.run(new VStarJob())).as(two.errors()).isZero();
    List<String> samples = samples(two);
    List<String> values = values(two);
    assertThat(samples).hasSize(2 * two.trainTasks()).doesNotHaveDuplicates();
    assertThat(values).hasSize(two.trainTasks());
    for (String master : List.of("local[1]", "local-cluster[2,1,2048]")) {
      spark.stop();
      spark = TestRun.session(master);
      TestRun other = run(master.replaceAll("\\W", "-"));
      assertThat(other.run(new VStarJob())).as(other.errors()).isZero();
      assertThat(samples(other)).isEqualTo(samples);
      assertThat(values(other)).isEqualTo(values);
    }
  }

  @Test
  void aRunThatWasKilledKeepsItsUnitsAndEndsWithTheSameRows() throws Exception {
    TestRun killed = run("killed", "vstar.tasksPerUnit=5", "vstar.samples=8");
    Process process = killed.start(VStarJob.class);
    Path samples = killed.path("tables/samples");
    while (process.isAlive() && (!Files.isDirectory(samples) || files(killed).size() < 3)) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    Map<Path, FileTime> finished = files(killed);
    assertThat(finished).as("killed midway").hasSizeBetween(3, killed.trainTasks() / 5);
    assertThat(killed.run(new VStarJob())).as(killed.errors()).isZero();
    assertThat(files(killed)).containsAllEntriesOf(finished);

    TestRun whole = run("whole", "vstar.samples=8");
    assertThat(whole.run(new VStarJob())).isZero();
    assertThat(samples(killed)).isEqualTo(samples(whole));
    assertThat(values(killed)).isEqualTo(values(whole));
  }

  @Test
  void aJobBesideAnotherOnTheSameRunIsRefusedAndTheOtherIsNotDisturbed() throws Exception {
    TestRun shared = run("shared", "vstar.tasksPerUnit=5", "vstar.samples=4");
    Process first = shared.start(VStarJob.class);
    Path samples = shared.path("tables/samples");
    while (first.isAlive() && (!Files.isDirectory(samples) || files(shared).isEmpty())) {
      Thread.onSpinWait();
    }
    assertRefused(shared, "tables is being written by submit/vstar, process " + first.pid());
    assertThat(first.waitFor()).isZero();
    TestRun alone = run("alone", "vstar.samples=4");
    assertThat(alone.run(new VStarJob())).isZero();
    assertThat(samples(shared)).isEqualTo(samples(alone));
    assertThat(values(shared)).isEqualTo(values(alone));
  }

  @Test
  void whatAKilledJobHadBegunToWriteIsCleanedUp() throws IOException {
    TestRun run = run("run");
    Path samples = Files.createDirectories(run.path("tables/samples"));
    Path scratch = Files.createDirectories(run.path("tables/.scratch-1.partial"));
    Files.write(samples.resolve(".unit-1.parquet-2.partial"), new byte[9]);
    Files.write(samples.resolve("_unit-3.parquet"), new byte[9]);
    Files.write(scratch.resolve("part-0.parquet"), new byte[9]);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(scratch).doesNotExist();
    try (Stream<Path> left = Files.list(samples)) {
      assertThat(left.map(f -> f.getFileName().toString()))
          .noneMatch(name -> name.contains("partial") || name.startsWith("_"));
    }
  }

  @Test
  void askingForMoreSamplesAddsTheMissingOnesAndAnotherBeta1AddsNone() throws IOException {
    TestRun few = run("run");
    assertThat(few.run(new VStarJob())).isZero();
    Map<Path, FileTime> before = files(few);
    TestRun more = run("run", "vstar.samples=3");
    assertThat(more.run(new VStarJob())).isZero();
    assertThat(files(more)).containsAllEntriesOf(before);
    TestRun direct = run("direct", "vstar.samples=3");
    assertThat(direct.run(new VStarJob())).isZero();
    assertThat(samples(more)).isEqualTo(samples(direct));
    assertThat(values(more)).isEqualTo(values(direct));

    Map<Path, FileTime> all = files(more);
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
  void tablesMadeUnderOtherFingerprintsAreRefusedByNameAndLeftAlone() throws IOException {
    TestRun run = run("run");
    assertThat(run.run(new VStarJob())).isZero();
    List<String> before = samples(run);
    assertRefused(run("run", "environment.rewards.preset=sparse"), "another reward ");
    assertRefused(run("run", "sampling.temperature=0.9"), "another sampling ");
    assertRefused(run("run", "environment.testTargets=90"), "'webshop-lite' with fingerprint");
    assertRefused(run("run", "seed=8"), "another seed");
    assertRefused(new TestRun(folder.resolve("run")).withReference(2), "another reference policy ");
    assertThat(samples(run)).isEqualTo(before);
  }

  private static void assertRefused(TestRun run, String message) {
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(run.errors().lines().filter(l -> l.startsWith("error: ")))
        .singleElement()
        .asString()
        .contains(message);
  }
}
