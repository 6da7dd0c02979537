package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.PythonEnvironment;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/**
 * Jobs on YARN, with results on HDFS, by the Spark that pip installs. Needs a Python 3 (see {@link
 * PythonEnvironment}).
 */
class YarnIT {

  private static final String[] SETTINGS = {
    "environment.testTargets=400", "vstar.samples=15", "vstar.tasksPerUnit=2"
  };
  private static final int MOST_SECONDS = 180;

  private static final List<String> DYNAMIC =
      List.of(
          "spark.dynamicAllocation.enabled=true",
          "spark.dynamicAllocation.shuffleTracking.enabled=true",
          "spark.dynamicAllocation.maxExecutors=3");

  private static final List<String> TWO_EXECUTORS = List.of("spark.executor.instances=2");

  @TempDir static Path folder;

  private static Path spark;
  private static HadoopCluster cluster;

  /** What this machine alone makes of the same run. */
  private static List<String> values;

  private static List<String> samples;
  private static String trained;

  @BeforeAll
  static void start() throws Exception {
    spark = SubmitCommand.python().packageFolder("pyspark");
    TestRun here = new TestRun(folder.resolve("here"), SETTINGS).withReference(1);
    SparkSession session = TestRun.session("local[2]");
    try {
      assertThat(here.run(new VStarJob())).as(here.errors()).isZero();
      assertThat(here.run(new TrainJob())).as(here.errors()).isZero();
      values = here.values(session);
      samples = here.samples(session);
      trained = here.trained();
    } finally {
      session.stop();
    }
    cluster = HadoopCluster.start(folder);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static TestRun run(String name) throws IOException {
    String place = cluster.folder("runs/" + name);
    return TestRun.on(place, Map.of(), folder.resolve(name), SETTINGS).withReference(1);
  }

  private static Process job(
      Path errors, String command, TestRun run, String mode, List<String> settings, String... more)
      throws IOException {
    List<String> words = new ArrayList<>(List.of("--master", "yarn", "--deploy-mode", mode));
    words.addAll(List.of("--driver-memory", "1g", "--executor-memory", "1g"));
    words.addAll(List.of("--conf", "spark.yarn.jars=local:" + spark.resolve("jars/*")));
    for (String process : List.of("executor", mode.equals("client") ? "yarn.am" : "driver")) {
      words.addAll(List.of("--conf", "spark." + process + ".extraJavaOptions=" + TestRun.SHORT));
    }
    settings.forEach(setting -> words.addAll(List.of("--conf", setting)));
    words.addAll(Arrays.asList(run.arguments(more)));
    ProcessBuilder process =
        SubmitCommand.process(
            SubmitCommand.PROJECT,
            Path.of("").toAbsolutePath(),
            command,
            words.toArray(String[]::new));
    process.environment().put("SPARK_HOME", spark.toString());
    process.environment().put("HADOOP_CONF_DIR", cluster.conf().toString());
    process.environment().put("HADOOP_USER_NAME", System.getProperty("user.name"));
    return process.redirectErrorStream(true).redirectOutput(errors.toFile()).start();
  }

  private static void ends(Process job, Path errors) throws Exception {
    assertThat(job.waitFor()).as(Files.readString(errors)).isZero();
  }

  private static void await(Process job, Path errors, String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
    while (!Files.readString(errors).contains(text)) {
      assertThat(job.isAlive() && System.nanoTime() < end)
          .as("%s in: %s", text, Files.readString(errors))
          .isTrue();
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private static List<ProcessHandle> containers(String main) {
    return ProcessHandle.current()
        .descendants()
        .filter(p -> Arrays.asList(p.info().arguments().orElse(new String[0])).contains(main))
        .toList();
  }

  private static void assertAsHere(TestRun run) {
    SparkSession session = TestRun.session("local[2]");
    try {
      assertThat(run.values(session)).isEqualTo(values);
      assertThat(run.samples(session)).isEqualTo(samples);
    } finally {
      session.stop();
    }
  }

  @Test
  void aDriverOnTheClusterWithExecutorsThatComeAndGoMeasuresTheSameValuesAndOneHereTrainsBesides()
      throws Exception {
    TestRun run = run("there");
    Path errors = folder.resolve("cluster.txt");
    Path events = Files.createDirectory(folder.resolve("events"));
    List<String> settings = new ArrayList<>(DYNAMIC);
    settings.add("spark.dynamicAllocation.executorIdleTimeout=1s");
    settings.add("spark.eventLog.enabled=true");
    settings.add("spark.eventLog.dir=" + events.toUri());
    ends(job(errors, "vstar", run, "cluster", settings), errors);
    assertAsHere(run);
    String all = events(events);
    // Without dynamic allocation there are two from the beginning to the end.
    assertThat(all.split("\"SparkListenerExecutorAdded\"", -1).length - 1).isGreaterThan(2);
    assertThat(all).contains("\"SparkListenerExecutorRemoved\"");
    ends(job(errors, "train", run, "client", TWO_EXECUTORS), errors);
    assertThat(run.trained()).isEqualTo(trained);
  }

  private static String events(Path folder) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  @Test
  void aKilledContainerLeavesALineAndChangesNothingNorDoesTrainingOnTheCluster() throws Exception {
    TestRun run = run("killed");
    Path errors = folder.resolve("client.txt");
    Process job = job(errors, "vstar", run, "client", TWO_EXECUTORS);
    await(job, errors, "V*: ");
    assertThat(Files.readString(errors)).as("a run of seconds").doesNotContain("705 of 705");
    containers("org.apache.spark.executor.YarnCoarseGrainedExecutorBackend")
        .get(0)
        .destroyForcibly();
    ends(job, errors);
    assertThat(Files.readString(errors))
        .containsPattern("YARN gets Vstar's 2\\d files of 4\\d MB from this machine\\n")
        .contains("was killed");
    assertAsHere(run);
    ends(job(errors, "train", run, "cluster", DYNAMIC, "--rollouts", "executors"), errors);
    assertThat(run.trained()).isEqualTo(trained);
  }
}
