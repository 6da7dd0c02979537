package org.vstar.spark.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.TestRun;
import org.vstar.spark.vstar.VStarJob;

class TrainJobTest {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @TempDir Path folder;
  private TestRun run;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  @BeforeEach
  void measureVStar() throws IOException {
    run = prepared("run");
  }

  private TestRun prepared(String out, String... settings) throws IOException {
    TestRun prepared = new TestRun(folder.resolve(out), settings).withReference(1);
    assertThat(prepared.run(new VStarJob())).as(prepared.errors()).isZero();
    return prepared;
  }

  private static Path training(TestRun run) {
    return run.folder().training("regression");
  }

  private static String policy(TestRun run) {
    return Policy.load(training(run).resolve("policy")).fingerprint();
  }

  /** The metrics less what no two runs share: times. */
  private static List<String> metrics(TestRun run) throws IOException {
    return Files.readAllLines(training(run).resolve("metrics.jsonl")).stream()
        .map(l -> l.replaceAll("\"(rollout|update)Seconds\":[^,}]*,?", ""))
        .toList();
  }

  private void assertRefused(TestRun refused, String... parts) {
    assertThat(refused.run(new TrainJob(), "--resume")).isEqualTo(2);
    assertThat(refused.errors().lines().filter(l -> l.startsWith("error: ")))
        .singleElement()
        .asString()
        .contains(parts);
  }

  @Test
  void aRunKilledMidwayAndResumedEndsWithTheSameWeightsAndMetrics() throws Exception {
    TestRun whole = new TestRun(folder.resolve("run"), "train.steps=40");
    TestRun killed = prepared("killed", "train.steps=40");
    Process process = killed.start(TrainJob.class);
    Path checkpoints = training(killed).resolve("checkpoints");
    while (process.isAlive() && Checkpoint.latest(checkpoints).isEmpty()) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    assertThat(Checkpoint.latest(checkpoints)).as("it had a checkpoint").isPresent();
    assertThat(training(killed).resolve("policy")).as("killed midway").doesNotExist();
    assertThat(killed.run(new TrainJob(), "--resume")).as(killed.errors()).isZero();
    assertThat(whole.run(new TrainJob())).as(whole.errors()).isZero();
    assertThat(policy(killed)).isEqualTo(policy(whole));
    assertThat(metrics(killed)).isEqualTo(metrics(whole)).hasSize(40 + 1 + 14);
  }

  @Test
  void bothObjectivesTrainAwayFromTheReference() {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    TestRun advantage = new TestRun(folder.resolve("run"), "train.objective=advantage");
    assertThat(advantage.run(new TrainJob())).as(advantage.errors()).isZero();
    String other = Policy.load(run.folder().training("advantage").resolve("policy")).fingerprint();
    assertThat(policy(run)).isNotEqualTo(run.folder().loadReference().fingerprint());
    assertThat(policy(run)).isNotEqualTo(other);
  }

  @Test
  void aValueTableOfAnotherReferencePolicyIsRefusedAndNothingIsWritten() throws IOException {
    run.withReference(2);
    assertRefused(run, "V* table", "another reference policy", "policy_fingerprint");
    assertThat(Files.exists(training(run))).isFalse();
  }

  @Test
  void aValueTableOfOtherRewardsOrAnotherBeta1IsRefused() {
    assertRefused(
        new TestRun(folder.resolve("run"), "environment.rewards.preset=sparse"), "another reward ");
    assertRefused(
        new TestRun(folder.resolve("run"), "vstar.beta1=0.7"), "has beta1 0.5", "this run has 0.7");
  }

  @Test
  void aTruncatedCheckpointIsNamedAndKept() throws IOException {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    Path newest = Checkpoint.latest(training(run).resolve("checkpoints")).orElseThrow();
    Path weights = newest.resolve("model.safetensors");
    try (FileChannel file = FileChannel.open(weights, StandardOpenOption.WRITE)) {
      file.truncate(1000);
    }
    List<String> before = metrics(run);
    assertRefused(run, weights.toString(), "cut short");
    assertThat(metrics(run)).isEqualTo(before);
    try (Stream<Path> files = Files.list(newest)) {
      assertThat(files).hasSize(5);
    }
  }

  @Test
  void aRunThatIsThereIsNotWrittenOverWithoutResume() {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    String before = policy(run);
    assertThat(run.run(new TrainJob())).isEqualTo(2);
    assertThat(run.errors()).contains("--resume goes on with it");
    assertThat(policy(run)).isEqualTo(before);
  }

  @Test
  void aRunWithoutValueTableSaysWhatToRunFirst() throws IOException {
    TestRun fresh = new TestRun(folder.resolve("fresh")).withReference(1);
    assertRefused(fresh, "no table 'vstar'", "run submit/vstar");
    assertRefused(
        new TestRun(folder.resolve("nothing")), "no reference policy", "submit/warm-start");
  }
}
