package org.vstar.spark.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.spark.TestRun;

class StudyJobIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");
  private static final String STUDY =
      """
      vstar: {keepTokens: true}
      study:
        seeds: [7, 8, 9]
        rollouts: 148
        thresholds: [0.0, 0.5]
        arms:
          vstar: {}
          rloo: {set: {train.objective: rloo, objectives.rloo.rolloutsPerTask: 2, train.tasksPerStep: 9}}
          stored: {set: {train.steps: 3}, offline: true}
      """;

  @TempDir private Path folder;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private TestRun study(String name, String yaml) throws IOException {
    return TestRun.withConfig(
        folder.resolve(name + "/run"),
        yaml,
        "environment.testTargets=430",
        "environment.validationTargets=20");
  }

  private TestRun study(String name) throws IOException {
    Files.createDirectories(folder.resolve(name));
    return study(name, STUDY);
  }

  /** What runs came to, less what no two of them share: times. */
  private static List<String> units(TestRun run) throws IOException {
    try (Stream<Path> files = Files.list(run.path("units"))) {
      return files
          .sorted()
          .map(
              file -> {
                try {
                  return file.getFileName()
                      + Json.MAPPER
                          .readTree(file.toFile())
                          .toString()
                          .replaceAll("\"([a-z_]*seconds|cores)\":[^,}]*,?", "");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              })
          .toList();
    }
  }

  private static long count(TestRun run, String table) {
    return SPARK.read().parquet(run.path("tables/_log/" + table + "/versions").toString()).count();
  }

  @Test
  void threeArmsWithThreeSeedsKilledAndGoingOnGiveTheTablesOfAStudyThatWasNotDisturbed()
      throws Exception {
    TestRun whole = study("whole");
    assertThat(whole.run(new StudyJob())).as(whole.errors()).isZero();
    List<String> expected = units(whole);
    assertThat(expected).hasSize(9);
    TestRun killed = study("killed");
    Process process = killed.start(StudyJob.class, "--on-executors");
    Path second = killed.path("units/rloo-7.json");
    while (process.isAlive() && !Files.exists(second)) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    assertThat(units(killed)).hasSizeLessThan(9);
    assertThat(killed.run(new StudyJob(), "--on-executors")).as(killed.errors()).isZero();
    assertThat(units(killed)).isEqualTo(expected);
    assertThat(count(killed, "study_runs")).isEqualTo(9);
    assertThat(count(killed, "study_episodes")).isEqualTo(9L * 20);
    String report = Files.readString(killed.path("report.md"));
    assertThat(report)
        .contains("| vstar | 3 of 3 |", "| rloo | 3 of 3 |", "| stored | 3 of 3 |")
        .contains("Until 50.0 % of success", "nine tenths of the best arm's gain");
    assertThat(Files.readString(killed.path("report.html"))).contains("<svg", "<polyline");
    // Stage 1 is counted: of 148 rollouts 94 are samples of 47 tasks, and 54 are left for
    // updates.
    List<Row> runs =
        SPARK
            .read()
            .parquet(killed.path("tables/_log/study_runs/versions").toString())
            .where("seed = 7")
            .orderBy("arm")
            .select("arm", "steps", "rollouts", "stage_one_rollouts")
            .collectAsList();
    assertThat(runs)
        .extracting(Row::toString)
        .containsExactly("[rloo,8,144,0]", "[stored,3,94,94]", "[vstar,6,142,94]");
  }

  @Test
  void anArmWhoseSettingsChangedIsRefusedAndSoIsABudgetTooSmall() throws IOException {
    TestRun first = study("first");
    Files.createDirectories(first.path("units"));
    Files.writeString(
        first.path("units/vstar-7.json"),
        "{\"arm\": \"vstar\", \"seed\": 7, \"settings\": \"other\", \"stage_one\": {\"rollouts\": 0, \"seconds\": 0, \"cores\": 1},"
            + " \"curve\": [], \"episodes\": [], \"policy\": \"p\", \"threads\": 1,"
            + " \"episodes_per_step\": 1}");
    assertThat(first.run(new StudyJob())).isEqualTo(2);
    assertThat(first.errors()).contains("units/vstar-7.json is of other settings", "delete it");
    TestRun small = study("first", STUDY.replace("148", "100"));
    Files.delete(first.path("units/vstar-7.json"));
    assertThat(small.run(new StudyJob())).isEqualTo(2);
    assertThat(small.errors()).contains("study.rollouts is 100, but arm vstar plays 94");
    TestRun unknown = study("first", STUDY.replace("rloo, obj", "no-such, obj"));
    assertThat(unknown.run(new StudyJob())).isEqualTo(2);
    assertThat(unknown.errors()).contains("study.arms.rloo.set", "no-such");
  }
}
