package org.vstar.spark.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.value.VStarJob;

class TrainingMemoryIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @TempDir Path folder;
  private TestRun run;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  @BeforeEach
  void measure() throws IOException {
    run = new TestRun(folder.resolve("run")).withReference(1);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
  }

  @Test
  void whatDoesNotFitIntoMemoryIsRefusedBeforeTheFirstStep() {
    assertThat(run.run(new TrainJob(), "--set", "train.threads=2000000")).isEqualTo(2);
    assertThat(run.errors())
        .contains("error: training needs up to", "of Java heap, of which")
        .contains("activations", "--driver-memory");
    assertThat(run.path("train-regression/policy")).doesNotExist();
  }

  @Test
  void microBatchesThatDoNotFitIntoMemoryAreCut() {
    assertThat(run.run(new TrainJob(), "--set", "train.microBatchTokens=500000000"))
        .as(run.errors())
        .isZero();
    assertThat(run.path("train-regression/policy")).exists();
  }
}
