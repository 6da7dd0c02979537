package org.vstar.spark.value;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.table.Tables;
import org.vstar.spark.train.TrainJob;

/** V* of an environment in which some tasks go wrong. */
class EnvironmentFailureIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  /** Else another unit of a job that has failed may still write while the folder is deleted. */
  private static final String ONE_UNIT = "vstar.tasksPerUnit=20";

  @TempDir Path folder;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private TestRun run(int faulty, String reward, String... more) throws IOException {
    String environment =
        String.format(
            "environment={kind: faulty, tasks: 20, faulty: %d, reward: '%s'}", faulty, reward);
    String[] settings = new String[more.length + 3];
    settings[0] = environment;
    settings[1] = "vstar.tasksPerUnit=4";
    settings[2] = "sampling.constrain=false";
    System.arraycopy(more, 0, settings, 3, more.length);
    return TestRun.without("environment.", folder.resolve("run"), settings).withReference(1);
  }

  private Tables tables(TestRun run) {
    return JobContext.tables(SPARK, run.folder());
  }

  private static List<Row> failures(TestRun run) {
    return SPARK
        .read()
        .parquet(run.path("tables/failures").toString())
        .orderBy("task_id", "sample_index")
        .collectAsList();
  }

  private static String lastLine(TestRun run) {
    return run.errors().lines().reduce((a, b) -> b).orElse("");
  }

  @Test
  void failedTasksAreTriedAgainLeftOutWithTheirReasonsAndMadeUpWhenTheEnvironmentIsMended()
      throws IOException {
    for (String reward : new String[] {"0", "NaN", "Infinity"}) {
      TestRun run = run(2, reward);
      assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
      assertThat(tables(run).vstar().count()).isEqualTo(18);
      assertThat(tables(run).samples().count()).isEqualTo(36);
      List<Row> failures = failures(run);
      assertThat(failures).hasSize(4);
      assertThat(failures.get(0).<String>getAs("reason"))
          .contains(reward.equals("0") ? "the simulator is gone at " : "the reward is " + reward);
      assertThat(failures.get(0).<Integer>getAs("attempts")).isEqualTo(3);
    }
    TestRun training = run(2, "0", "train.steps=2");
    assertThat(training.run(new TrainJob())).as(training.errors()).isZero();
    Set<String> failed =
        failures(training).stream().map(r -> r.<String>getAs("task_id")).collect(toSet());
    assertThat(failed).containsExactlyInAnyOrder("train0", "train1");

    TestRun mended = run(0, "0");
    assertThat(mended.run(new VStarJob())).as(mended.errors()).isZero();
    assertThat(tables(mended).vstar().count()).isEqualTo(20);
    assertThat(tables(mended).samples().count()).isEqualTo(40);
    assertThat(failures(mended)).isEmpty();
  }

  @Test
  void tooManyFailuresEndTheJobWithTheFirstOfThem() throws IOException {
    TestRun run = run(20, "0", "vstar.maxFailures=5", ONE_UNIT);
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(run.errors().lines()).singleElement().asString().contains("V* gave up after");
    assertThat(lastLine(run))
        .contains("the first: task train", "seed ", "turn 0", "the simulator is gone at org.vstar");
  }

  @Test
  void aJobThatAllowsNoneEndsWithTheFirstFailure() throws IOException {
    TestRun run = run(1, "NaN", "vstar.maxFailures=0", ONE_UNIT);
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(lastLine(run))
        .startsWith("error: task train0, sample")
        .contains("the reward is NaN");
  }

  @Test
  void whenEveryTaskFailsThereIsNoTableAndNoSuccess() throws IOException {
    TestRun run = run(20, "0", "vstar.maxFailures=100");
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(lastLine(run)).contains("40 rollouts failed", "no task has a V*");
    assertThat(tables(run).hasVStar()).isFalse();
  }

  @Test
  void aProcessWhoseExecutorsFailSaysSoInFewLinesAndWithoutTraces() throws Exception {
    TestRun run = run(1, "NaN", "vstar.maxFailures=0", ONE_UNIT);
    assertThat(run.start(VStarJob.class).waitFor()).isEqualTo(2);
    assertThat(run.log()).noneMatch(line -> line.startsWith("\tat ")).hasSizeLessThan(15);
    assertThat(run.log().get(run.log().size() - 1)).startsWith("error: task train0");
  }
}
