package org.vstar.spark.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

class ExecutorRolloutsIT {

  private static final SparkSession SPARK = TestRun.session("local-cluster[2,1,2048]");

  private static final String FEW_TASKS = "environment.testTargets=400";

  @TempDir Path folder;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  /** The metrics less what no two runs share: times. */
  private static List<String> metrics(TestRun run) throws IOException {
    return Files.readAllLines(run.path("train-regression/metrics.jsonl")).stream()
        .map(l -> l.replaceAll("\"(rollout|update|refresh)_seconds\":[^,}]*,?", ""))
        .toList();
  }

  private static void assertSamePolicy(TestRun driver, TestRun executors) throws IOException {
    for (TestRun run : List.of(driver, executors)) {
      assertThat(run.withReference(1).run(new VStarJob())).as(run.errors()).isZero();
    }
    assertThat(driver.run(new TrainJob())).as(driver.errors()).isZero();
    assertThat(executors.run(new TrainJob(), "--rollouts", "executors"))
        .as(executors.errors())
        .isZero();
    assertThat(executors.trained()).isEqualTo(driver.trained());
    assertThat(metrics(executors)).isEqualTo(metrics(driver)).hasSizeGreaterThan(4);
    assertThat(executors.folder().store().list("train-regression/weights/")).isEmpty();
  }

  @Test
  void episodesOfExecutorProcessesTrainTheSamePolicyToTheLastBit() throws IOException {
    assertSamePolicy(
        new TestRun(folder.resolve("driver"), FEW_TASKS),
        new TestRun(folder.resolve("executors"), FEW_TASKS));
  }

  @Test
  void episodesOfExecutorProcessesTrainTheSameAdapter() throws IOException {
    assertSamePolicy(
        TestRun.withLora(folder.resolve("driver"), "train.steps=3", FEW_TASKS),
        TestRun.withLora(folder.resolve("executors"), "train.steps=3", FEW_TASKS));
  }
}
