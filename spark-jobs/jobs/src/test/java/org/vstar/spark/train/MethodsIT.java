package org.vstar.spark.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;

class MethodsIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @TempDir private Path folder;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  @Test
  void aMethodOfGroupsTrainsWithoutATableOfVAndItsReportSaysNothingOfV() throws IOException {
    TestRun grpo =
        new TestRun(
                folder.resolve("groups"),
                "train.objective=grpo",
                "objectives.grpo.rolloutsPerTask=4",
                "train.tasksPerStep=4")
            .withReference(1);
    assertThat(grpo.run(new TrainJob())).as(grpo.errors()).isZero();
    assertThat(grpo.trained("grpo")).isNotEqualTo(grpo.reference().fingerprint());
    String metrics = Files.readString(grpo.path("train-grpo/metrics.jsonl"));
    assertThat(metrics).contains("\"advantage\"", "\"clipped\"").doesNotContain("v_star", "NaN");
    assertThat(grpo.path("train-grpo/report.html")).exists();
    assertThat(grpo.path("tables")).doesNotExist();
    TestRun regression = new TestRun(folder.resolve("groups"));
    assertThat(regression.run(new TrainJob())).isEqualTo(2);
    assertThat(regression.errors())
        .contains("error: there is no table 'vstar'", "run submit/vstar");
  }
}
