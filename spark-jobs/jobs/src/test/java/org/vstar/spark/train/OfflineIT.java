package org.vstar.spark.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.engine.Sequence;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RetryPolicy;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.table.TrajectoryFile;
import org.vstar.spark.table.UnitTable;
import org.vstar.spark.value.VStarJob;

class OfflineIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");
  private static final String[] FEW_TASKS = {
    "environment.testTargets=430", "environment.validationTargets=20", "vstar.beta1=0.1"
  };

  /** Few train tasks, OAPL, and tokens that are kept. */
  private static String[] oapl(String... more) {
    return Stream.of(
            Stream.of(FEW_TASKS),
            Stream.of("train.objective=oapl", "vstar.keepTokens=true"),
            Stream.of(more))
        .flatMap(settings -> settings)
        .toArray(String[]::new);
  }

  private static TestRun measured;
  @TempDir private Path folder;

  @BeforeAll
  static void measureAndKeepTokens(@TempDir Path once) throws IOException {
    measured = new TestRun(once, oapl()).withReference(1);
    assertThat(measured.run(new VStarJob())).as(measured.errors()).isZero();
  }

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private TestRun prepared(String name, String... more) throws IOException {
    return measured.copy(folder.resolve(name), oapl(more));
  }

  private static TestRun trained(TestRun run, String... more) {
    assertThat(run.run(new TrainJob(), more)).as(run.errors()).isZero();
    return run;
  }

  private static List<String> trajectories(TestRun run) throws IOException {
    return UnitTable.TRAJECTORIES.texts(run.folder().store());
  }

  private static Map<String, Task> tasks(Environment environment) {
    Map<String, Task> tasks = new HashMap<>();
    environment.tasks(Split.TRAIN).forEach(task -> tasks.put(task.id(), task));
    return tasks;
  }

  @Test
  void aRowReadBackIsTheTrajectoryThatItsSeedPlays() {
    Environment environment = measured.environment();
    Map<String, Task> tasks = tasks(environment);
    Rollouts rollouts =
        new Rollouts(
            environment,
            measured.reference(),
            measured.config().sampling(),
            0,
            RetryPolicy.ONE_ATTEMPT);
    List<Row> rows =
        JobContext.tables(SPARK, measured.folder()).trajectories().limit(40).collectAsList();
    assertThat(rows).hasSize(40);
    for (Row row : rows) {
      Task task = tasks.get(row.<String>getAs("task_id"));
      Trajectory read = TrajectoryFile.trajectory(row, task);
      Request request = new Request(task, read.sampleIndex(), read.seed());
      Trajectory played = rollouts.run(List.of(request), 1, 1).get(0);
      assertThat(read.turns()).isEqualTo(played.turns());
      assertThat(read.stateKeys()).isEqualTo(played.stateKeys());
      assertThat(read.turnTokens()).isEqualTo(played.turnTokens());
      assertThat(read.logProbabilities()).isEqualTo(played.logProbabilities());
      assertThat(read.episodeReturn()).isEqualTo(played.episodeReturn());
      assertThat(read.success()).isEqualTo(played.success());
      assertThat(read.stopReason()).isEqualTo(played.stopReason());
      assertThat(read.sequences()).hasSameSizeAs(played.sequences());
      for (int i = 0; i < read.sequences().size(); i++) {
        Sequence was = played.sequences().get(i);
        assertThat(read.sequences().get(i).tokens()).isEqualTo(was.tokens());
        assertThat(read.sequences().get(i).agent()).isEqualTo(was.agent());
        assertThat(read.sequences().get(i).allowed()).isEqualTo(was.allowed()).isNotEmpty();
      }
    }
  }

  @Test
  void tokensThatAreKeptLaterAreThoseOfTheSamplesThere() throws IOException {
    TestRun later = new TestRun(folder.resolve("later"), FEW_TASKS).withReference(1);
    assertThat(later.run(new VStarJob())).as(later.errors()).isZero();
    assertThat(later.path("tables/trajectories")).doesNotExist();
    List<String> samples = UnitTable.SAMPLES.texts(later.folder().store());
    TestRun kept = new TestRun(folder.resolve("later"), oapl());
    assertThat(kept.run(new TrainJob(), "--offline")).isEqualTo(2);
    assertThat(kept.errors()).contains("is not there", "run submit/vstar with vstar.keepTokens");
    assertThat(kept.run(new VStarJob())).as(kept.errors()).isZero();
    assertThat(UnitTable.SAMPLES.texts(kept.folder().store())).isEqualTo(samples);
    assertThat(trajectories(kept)).isEqualTo(trajectories(measured)).hasSameSizeAs(samples);
    assertThat(kept.run(new VStarJob())).as(kept.errors()).isZero();
    assertThat(trajectories(kept)).isEqualTo(trajectories(measured));
  }

  @Test
  void onePassTrainsOnEachSampleOnceHoweverTheTableIsCutAndRead() throws IOException {
    TestRun one = trained(prepared("one", "train.offline.epochs=1"), "--offline");
    assertThat(one.trained("oapl")).isNotEqualTo(one.reference().fingerprint());
    String metrics = Files.readString(one.path("train-oapl/metrics.jsonl"));
    long samples = trajectories(measured).size();
    long rollouts =
        metrics
            .lines()
            .filter(line -> line.contains("\"rollouts\""))
            .mapToLong(
                line ->
                    (long) Double.parseDouble(line.replaceAll(".*\"rollouts\":([0-9.]+).*", "$1")))
            .sum();
    assertThat(rollouts).isEqualTo(samples);
    assertThat(metrics).contains("\"policy_lag\"").doesNotContain("log_prob_gap");
    TestRun cut = new TestRun(folder.resolve("cut"), oapl()).withReference(1);
    TestRun other =
        new TestRun(
            folder.resolve("cut"),
            oapl("vstar.tasksPerUnit=7", "train.offline.epochs=1", "train.offline.shard=20"));
    assertThat(cut.reference().fingerprint()).isEqualTo(one.reference().fingerprint());
    assertThat(other.run(new VStarJob())).as(other.errors()).isZero();
    assertThat(trained(other, "--offline").trained("oapl")).isEqualTo(one.trained("oapl"));
  }

  @Test
  void aRunKilledMidwayAndResumedEndsWithTheSameWeights() throws Exception {
    TestRun whole = trained(prepared("whole", "train.steps=30"), "--offline");
    TestRun killed = prepared("killed", "train.steps=30");
    Process process = killed.start(TrainJob.class, "--offline");
    Path checkpoints = killed.path("train-oapl/checkpoints");
    while (process.isAlive() && !Files.exists(checkpoints.resolve("step-000002/state.json"))) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    assertThat(killed.path("train-oapl/policy")).as("killed midway").doesNotExist();
    assertThat(killed.run(new TrainJob(), "--resume")).isEqualTo(2);
    assertThat(killed.errors()).contains("offline");
    trained(killed, "--offline", "--resume");
    assertThat(killed.trained("oapl")).isEqualTo(whole.trained("oapl"));
  }

  @Test
  void aMethodThatIsNotRightOffPolicyAndATableThatLacksSamplesAreRefused() throws IOException {
    TestRun grpo = prepared("grpo", "train.objective=grpo");
    assertThat(grpo.run(new TrainJob(), "--offline")).isEqualTo(2);
    assertThat(grpo.errors())
        .contains("--offline: GRPO", "set train.objective to one of [oapl, raft, regression]");
    TestRun plain = prepared("plain", "vstar.keepTokens=false");
    assertThat(plain.run(new TrainJob(), "--offline")).isEqualTo(2);
    assertThat(plain.errors()).contains("vstar.keepTokens");
    TestRun more = prepared("more", "vstar.keepTokens=false", "vstar.samples=3");
    assertThat(more.run(new VStarJob())).as(more.errors()).isZero();
    TestRun lacking = new TestRun(folder.resolve("more"), oapl("vstar.samples=3"));
    assertThat(lacking.run(new TrainJob(), "--offline")).isEqualTo(2);
    assertThat(lacking.errors()).contains("trajectories of", "run submit/vstar again");
  }

  @Test
  void whatExecutorsSampleBesideTrainingGivesTheSameWeightsWhoeverIsDoneFirst() throws Exception {
    String[] overlap = {"train.steps=12", "train.refresh={every: 3, overlap: true}"};
    TestRun whole = trained(prepared("whole", overlap), "--offline");
    assertThat(whole.path("train-oapl/refresh/step-000006/tables/trajectories")).exists();
    // Nobody is held against the policy of after 9 updates: the last three are against that of 6.
    assertThat(whole.path("train-oapl/refresh/step-000009/tables")).doesNotExist();
    TestRun killed = prepared("killed", overlap);
    Process process = killed.start(TrainJob.class, "--offline");
    Path beside = killed.path("train-oapl/refresh/step-000006/tables/_log");
    while (process.isAlive() && !Files.exists(beside)) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
    assertThat(killed.path("train-oapl/policy")).as("killed midway").doesNotExist();
    trained(killed, "--offline", "--resume");
    assertThat(killed.trained("oapl")).isEqualTo(whole.trained("oapl"));
    List<String> lags =
        Files.readAllLines(whole.path("train-oapl/metrics.jsonl")).stream()
            .filter(line -> line.contains("policy_lag"))
            .map(line -> line.replaceAll(".*\"policy_lag\":([0-9.]+).*", "$1"))
            .toList();
    assertThat(lags)
        .containsExactly(
            "0.0", "1.0", "2.0", "3.0", "4.0", "5.0", "3.0", "4.0", "5.0", "3.0", "4.0", "5.0");
  }
}
