package org.vstar.spark.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.value.VStarJob;

class TrainJobIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  private static TestRun measured;
  @TempDir Path folder;
  private TestRun run;

  @BeforeAll
  static void measureVStar(@TempDir Path once) throws IOException {
    measured = measured(once);
  }

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  @BeforeEach
  void begin() throws IOException {
    run = prepared("run");
  }

  private static TestRun measured(Path out, String... settings) throws IOException {
    TestRun measured = new TestRun(out, settings).withReference(1);
    assertThat(measured.run(new VStarJob())).as(measured.errors()).isZero();
    return measured;
  }

  /** A run that V* is measured for already. */
  private TestRun prepared(String out, String... settings) throws IOException {
    return measured.copy(folder.resolve(out), settings);
  }

  private static Path training(TestRun run) {
    return run.path("train-regression");
  }

  private static Optional<String> newestCheckpoint(TestRun run) {
    return Checkpoint.all(run.folder().store(), "train-regression/checkpoints").stream()
        .findFirst();
  }

  /** The metrics less what no two runs share: times. */
  private static List<String> metrics(TestRun run) throws IOException {
    return Files.readAllLines(training(run).resolve("metrics.jsonl")).stream()
        .map(l -> l.replaceAll("\"(rollout|update|refresh)_seconds\":[^,}]*,?", ""))
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
    while (process.isAlive() && newestCheckpoint(killed).isEmpty()) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    assertThat(newestCheckpoint(killed)).as("it had a checkpoint").isPresent();
    assertThat(training(killed).resolve("policy")).as("killed midway").doesNotExist();
    assertThat(killed.run(new TrainJob(), "--resume")).as(killed.errors()).isZero();
    assertThat(whole.run(new TrainJob())).as(whole.errors()).isZero();
    assertThat(killed.trained()).isEqualTo(whole.trained());
    assertThat(metrics(killed)).isEqualTo(metrics(whole)).hasSize(40 + 1 + 14);
  }

  @Test
  void bothObjectivesTrainAwayFromTheReference() {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    TestRun other = new TestRun(folder.resolve("run"), "train.objective=policy-gradient");
    assertThat(other.run(new TrainJob())).as(other.errors()).isZero();
    assertThat(run.trained()).isNotEqualTo(run.reference().fingerprint());
    assertThat(run.trained()).isNotEqualTo(run.trained("policy-gradient"));
  }

  @Test
  void anAdapterIsTrainedResumedAndLeavesTheReferenceAsItIs() throws IOException {
    TestRun whole = TestRun.withLora(folder.resolve("run"));
    assertThat(whole.run(new TrainJob())).as(whole.errors()).isZero();
    Path trained = training(whole).resolve("policy");
    assertThat(trained.resolve("adapter_model.safetensors")).exists();
    assertThat(trained.resolve("model.safetensors")).doesNotExist();
    assertThat(whole.trained()).isNotEqualTo(whole.reference().fingerprint());

    prepared("stopped");
    TestRun stopped = TestRun.withLora(folder.resolve("stopped"), "train.steps=4");
    assertThat(stopped.run(new TrainJob())).as(stopped.errors()).isZero();
    TestRun resumed = TestRun.withLora(folder.resolve("stopped"));
    assertThat(resumed.run(new TrainJob(), "--resume")).as(resumed.errors()).isZero();
    TestRun full = new TestRun(folder.resolve("run"));
    assertThat(full.run(new TrainJob(), "--resume")).isEqualTo(2);
    assertThat(full.errors()).contains("train.lora");
  }

  @Test
  void anotherOrderOfTasksTrainsAnotherPolicyAndIsKeptWhenARunGoesOn() throws IOException {
    String[] order = {"train.tasks=curriculum", "train.keep=0.5"};
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    TestRun whole = new TestRun(prepared("whole").path(""), order);
    assertThat(whole.run(new TrainJob())).as(whole.errors()).isZero();
    assertThat(whole.trained()).isNotEqualTo(run.trained());
    TestRun stopped =
        new TestRun(prepared("stopped").path(""), order[0], order[1], "train.steps=4");
    assertThat(stopped.run(new TrainJob())).as(stopped.errors()).isZero();
    TestRun resumed = new TestRun(stopped.path(""), order);
    assertThat(resumed.run(new TrainJob(), "--resume")).as(resumed.errors()).isZero();
    assertRefused(new TestRun(stopped.path(""), order[0]), "keep");
    assertRefused(new TestRun(stopped.path(""), order[1]), "tasks");
  }

  private static TestRun refreshed(TestRun run, String... more) {
    List<String> settings = new ArrayList<>(List.of("train.refresh={every: 4}"));
    settings.addAll(List.of(more));
    return new TestRun(run.path(""), settings.toArray(String[]::new));
  }

  private static RunFolder refresh(TestRun run, int step) {
    String name = String.format("train-regression/refresh/step-%06d", step);
    return new RunFolder(run.folder().store().within(name));
  }

  @Test
  void aRefreshLeavesTablesOfThePolicyOfThenAndThoseOfTheReferenceAsTheyWere() throws IOException {
    List<String> before = run.values(SPARK);
    TestRun refreshed = refreshed(run);
    assertThat(refreshed.run(new TrainJob())).as(refreshed.errors()).isZero();
    assertThat(run.values(SPARK)).isEqualTo(before);
    RunFolder then = refresh(run, 4);
    String policy = then.loadReference(VectorEngine.KIND, EngineOptions.ONE_THREAD).fingerprint();
    assertThat(policy).isNotEqualTo(run.reference().fingerprint()).isNotEqualTo(run.trained());
    assertThat(TestRun.values(SPARK, then))
        .hasSameSizeAs(before)
        .allMatch(row -> row.contains(policy))
        .isNotEqualTo(before);
    TestRun plain = prepared("plain");
    assertThat(plain.run(new TrainJob())).as(plain.errors()).isZero();
    assertThat(metrics(refreshed).subList(0, 6)).isEqualTo(metrics(plain).subList(0, 6));
    assertThat(refreshed.trained()).isNotEqualTo(plain.trained());
    assertRefused(new TestRun(run.path("")), "refresh.every was 4");
  }

  @Test
  void aRunKilledInARefreshGoesOnWithItsSamplesAndEndsWithTheSameWeights() throws Exception {
    TestRun whole = refreshed(run, "train.steps=10");
    assertThat(whole.run(new TrainJob())).as(whole.errors()).isZero();
    TestRun killed = refreshed(prepared("killed"), "train.steps=10");
    Process process = killed.start(TrainJob.class);
    Path samples = refresh(killed, 4).store().local("tables/_log/samples/units");
    while (process.isAlive() && countFiles(samples) == 0) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    assertThat(killed.values(SPARK)).isEqualTo(run.values(SPARK));
    assertThat(JobContext.tables(SPARK, refresh(killed, 4)).hasVStar()).isFalse();
    assertThat(killed.run(new TrainJob(), "--resume")).as(killed.errors()).isZero();
    assertThat(killed.trained()).isEqualTo(whole.trained());
    assertThat(TestRun.values(SPARK, refresh(killed, 8)))
        .isEqualTo(TestRun.values(SPARK, refresh(whole, 8)));
    // Between two refreshes, the reference is read and not made.
    TestRun stopped = refreshed(prepared("stopped"), "train.steps=6");
    assertThat(stopped.run(new TrainJob())).as(stopped.errors()).isZero();
    TestRun on = refreshed(stopped, "train.steps=10");
    assertThat(on.run(new TrainJob(), "--resume")).as(on.errors()).isZero();
    assertThat(TestRun.values(SPARK, refresh(on, 4)))
        .isEqualTo(TestRun.values(SPARK, refresh(whole, 4)));
  }

  @Test
  void anAdapterIsRefreshedToo() throws IOException {
    TestRun lora = TestRun.withLora(folder.resolve("run"), "train.refresh={every: 4}");
    assertThat(lora.run(new TrainJob())).as(lora.errors()).isZero();
    assertThat(TestRun.values(SPARK, refresh(lora, 4))).isNotEqualTo(run.values(SPARK));
    Path then = refresh(lora, 4).store().local("reference");
    assertThat(then.resolve("adapter_model.safetensors")).exists();
  }

  private static long countFiles(Path samples) throws IOException {
    if (!Files.exists(samples)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(samples)) {
      return files.filter(file -> file.toString().endsWith(".parquet")).count();
    }
  }

  @Test
  void aValueTableOfAnotherReferencePolicyIsRefusedAndNothingIsWritten() throws IOException {
    run.withReference(2);
    assertRefused(run, "V* table", "another reference policy", "policy_fingerprint");
    assertThat(Files.exists(training(run))).isFalse();
  }

  @Test
  void aValueTableOfOtherRewardsBeta1SamplesOrSeedIsRefused() {
    assertRefused(
        new TestRun(folder.resolve("run"), "environment.rewards.preset=sparse"), "another reward ");
    assertRefused(
        new TestRun(folder.resolve("run"), "vstar.beta1=0.7"), "has beta1 0.5", "this run has 0.7");
    assertRefused(
        new TestRun(folder.resolve("run"), "vstar.samples=3"), "has n 2", "this run has 3");
    assertRefused(new TestRun(folder.resolve("run"), "seed=8"), "another seed than this run's 8");
  }

  private static void truncate(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(1000);
    }
  }

  @Test
  void afterADamagedCheckpointTheRunGoesOnFromTheOneBeforeToTheSamePolicy() throws IOException {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    String before = run.trained();
    List<String> metrics = metrics(run);
    Path newest = run.path(newestCheckpoint(run).orElseThrow());
    truncate(newest.resolve("model.safetensors"));
    assertThat(run.run(new TrainJob(), "--resume")).as(run.errors()).isZero();
    assertThat(run.trained()).isEqualTo(before);
    assertThat(metrics(run)).isEqualTo(metrics);
  }

  @Test
  void whereAllCheckpointsAreDamagedTheNewestIsNamedAndAllAreKept() throws IOException {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    List<String> before = metrics(run);
    List<String> all = Checkpoint.all(run.folder().store(), "train-regression/checkpoints");
    for (String checkpoint : all) {
      truncate(run.path(checkpoint).resolve("model.safetensors"));
    }
    assertRefused(run, run.path(all.get(0)) + "/model.safetensors", "cut short");
    assertThat(metrics(run)).isEqualTo(before);
    for (String checkpoint : all) {
      try (Stream<Path> files = Files.list(run.path(checkpoint))) {
        assertThat(files).hasSize(7);
      }
    }
  }

  @Test
  void aRunThatIsThereIsNotWrittenOverWithoutResume() {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    String before = run.trained();
    assertThat(run.run(new TrainJob())).isEqualTo(2);
    assertThat(run.errors()).contains("--resume goes on with it");
    assertThat(run.trained()).isEqualTo(before);
  }

  @Test
  void aRunWithoutValueTableSaysWhatToRunFirst() throws IOException {
    TestRun fresh = new TestRun(folder.resolve("fresh")).withReference(1);
    assertRefused(fresh, "no table 'vstar'", "run submit/vstar");
    assertRefused(
        new TestRun(folder.resolve("nothing")), "no reference policy", "submit/warm-start");
  }

  @Test
  void tablesOfAnOlderFormatAreRefusedWithWhatToDo() throws IOException {
    Files.delete(run.path("tables/format.json"));
    assertRefused(
        run, "written by Vstar 0.1 in format 1, this Vstar reads format 4: run submit/vstar");
  }

  @Test
  void aFinishedRunGoesOnToMoreStepsAndOtherEvaluationsAndSaysWhatThatChanges() throws IOException {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    String before = run.trained();
    TestRun more =
        new TestRun(
            folder.resolve("run"),
            "train.steps=8",
            "train.evaluateEvery=4",
            "train.evaluateTasks=3",
            "train.checkpointEvery=1",
            "train.threads=1");
    assertThat(more.run(new TrainJob(), "--resume")).as(more.errors()).isZero();
    assertThat(more.trained()).isNotEqualTo(before);
    assertThat(newestCheckpoint(more)).contains("train-regression/checkpoints/step-000008");
    assertThat(metrics(more)).filteredOn(l -> l.contains("\"train\"")).hasSize(8);
    assertRefused(run, "train.steps is 6, expected at least the 8 that the run has taken");
  }

  @Test
  void whatWouldChangeStepsThatWereTakenIsRefusedByKeyWithBothValues() throws IOException {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    assertRefused(
        new TestRun(folder.resolve("run"), "train.tasksPerStep=4", "train.steps=9"),
        "train.tasksPerStep was 8 and is 4 now");
    assertRefused(
        new TestRun(folder.resolve("run"), "train.optimizer.learningRate=0.1"),
        "train.optimizer.learningRate was 0.0003 and is 0.1 now");
    assertRefused(
        new TestRun(folder.resolve("run"), "objectives.regression.beta2=0.5"),
        "objectives.regression.beta2 was 0.001 and is 0.5 now");
  }

  @Test
  void trainingThatSkipsTooManyStepsFailsAndLeavesNoPolicy() {
    TestRun wild =
        new TestRun(
            folder.resolve("run"),
            "train.optimizer.learningRate=1e38",
            "train.optimizer.clipNorm=1e30",
            "train.maxSkipped=0.4");
    assertThat(wild.run(new TrainJob())).isEqualTo(2);
    assertThat(wild.errors().lines()).as(wild.errors()).hasSize(1);
    assertThat(wild.errors())
        .contains("3 of 6 steps were skipped because their loss", "train.maxSkipped allows 2");
    assertThat(training(wild).resolve("policy")).doesNotExist();
  }

  @Test
  void aTrainingJobBesideAnotherOnTheSameRunIsRefusedAndTheOtherIsNotDisturbed() throws Exception {
    TestRun alone = prepared("alone", "train.steps=25");
    assertThat(alone.run(new TrainJob())).as(alone.errors()).isZero();
    TestRun shared = prepared("shared", "train.steps=25");
    Process first = shared.start(TrainJob.class);
    while (first.isAlive() && !Files.exists(training(shared).resolve("metrics.jsonl"))) {
      Thread.onSpinWait();
    }
    assertRefused(
        shared, "train-regression is being written by submit/train, process " + first.pid());
    assertThat(first.waitFor()).isZero();
    assertThat(metrics(shared)).isEqualTo(metrics(alone));
    assertThat(shared.trained()).isEqualTo(alone.trained());
  }

  @Test
  void aDamagedLineOfMetricsIsNamed() throws IOException {
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    Path metrics = training(run).resolve("metrics.jsonl");
    List<String> lines = new ArrayList<>(Files.readAllLines(metrics));
    lines.set(2, lines.get(2).substring(0, 20));
    Files.write(metrics, lines);
    assertRefused(
        new TestRun(folder.resolve("run"), "train.steps=9"), "metrics.jsonl, line 3: damaged");
  }

  @Test
  void aDiskThatIsFullEndsTrainingInOneLineAndNothingIsLost() throws Exception {
    // The weights are larger than the libraries that a JVM has to unpack.
    TestRun full =
        measured(
            folder.resolve("full"),
            "model.width=384",
            "model.feedForward=1024",
            "train.steps=2",
            "environment.testTargets=400");
    int kibibytes = (int) (Files.size(full.path("reference/model.safetensors")) * 3 / 2 / 1024);
    assertThat(kibibytes)
        .as("enough for the weights, too little for the moments")
        .isGreaterThan(3000);
    Process process = full.startWithSmallFiles(kibibytes, TrainJob.class);
    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(full.log().stream().filter(l -> l.startsWith("error: ")))
        .singleElement()
        .asString()
        .contains("cannot write checkpoint", "step-000002", "File too large");
    assertThat(full.log()).noneMatch(l -> l.contains("\tat "));
    assertThat(full.run(new TrainJob(), "--resume")).as(full.errors()).isZero();
    assertThat(full.trained()).isNotEqualTo(full.reference().fingerprint());
    assertThat(newestCheckpoint(full)).contains("train-regression/checkpoints/step-000002");
  }
}
