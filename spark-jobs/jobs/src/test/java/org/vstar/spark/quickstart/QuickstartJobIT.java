package org.vstar.spark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.run.JobContext;

class QuickstartJobIT {

  private static final List<String> SMALL =
      List.of(
          "environment.tasks=16",
          "vstar.samples=2",
          "warmStart.imitation=engine",
          "warmStart.rounds=1",
          "warmStart.batchesPerRound=2",
          "train.steps=2",
          "train.evaluateTasks=4");

  @TempDir Path folder;

  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @BeforeAll
  static void startSpark() {
    SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    SparkSession.active().stop();
  }

  private int quickstart(Path out, String... more) {
    List<String> words =
        new ArrayList<>(List.of("--config", "../../conf/bandit.yaml", "--out", out.toString()));
    SMALL.forEach(setting -> words.addAll(List.of("--set", setting)));
    words.addAll(List.of(more));
    PrintStream lines = new PrintStream(errors, true, StandardCharsets.UTF_8);
    return JobContext.run(new QuickstartJob(), lines, words.toArray(String[]::new));
  }

  @Test
  void itDoesAllStagesAndGoesOnWithWhatIsThere() throws IOException {
    Path out = folder.resolve("run");
    assertThat(quickstart(out)).isZero();
    Path report = out.resolve("evaluation-final/report.html");
    assertThat(report).exists();
    Path reference = out.resolve("reference/model.safetensors");
    FileTime made = Files.getLastModifiedTime(reference);
    Path policy = out.resolve("train-regression/policy/model.safetensors");
    byte[] trained = Files.readAllBytes(policy);

    assertThat(quickstart(out)).as("without --resume").isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .contains(out + " is there already: use another --out, or --resume");

    Files.delete(report);
    assertThat(quickstart(out, "--resume")).isZero();
    assertThat(report).exists();
    assertThat(Files.getLastModifiedTime(reference)).isEqualTo(made);
    assertThat(policy).hasBinaryContent(trained);
  }

  @Test
  void itEndsWithTheFirstStageThatFails() {
    Path out = folder.resolve("failed");
    assertThat(quickstart(out, "--set", "vstar.samples=0")).isEqualTo(2);
    assertThat(out.resolve("train-regression")).doesNotExist();
  }
}
