package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.SubmitCommand.Said;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/** Jobs on a standalone master and workers, as submit/cluster starts them. */
class ClusterIT {

  private static final String SECRET = "a-secret-of-tests";

  /** What a job of a busy cluster asks for. */
  private static final List<String> SHARING =
      List.of(
          "spark.speculation=true",
          "spark.dynamicAllocation.enabled=true",
          "spark.dynamicAllocation.shuffleTracking.enabled=true");

  /** What a job has to say where others could listen. */
  private static final List<String> CAREFUL =
      List.of(
          "spark.authenticate=true",
          "spark.authenticate.secret=" + SECRET,
          "spark.network.crypto.enabled=true",
          "spark.io.encryption.enabled=true");

  private static final String CAREFUL_DAEMONS =
      "-Dspark.authenticate=true -Dspark.network.crypto.enabled=true"
          + " -Dspark.authenticate.secret="
          + SECRET;

  @TempDir Path folder;
  private String master;

  private Said submit(String daemons, String command, String... arguments) throws Exception {
    ProcessBuilder process =
        SubmitCommand.process(SubmitCommand.PROJECT, folder, command, arguments);
    process.environment().put("SPARK_DAEMON_JAVA_OPTS", daemons);
    return SubmitCommand.said(process, folder);
  }

  private Said cluster(String daemons, String action, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(action, "--folder", "cluster"));
    arguments.addAll(Arrays.asList(more));
    return submit(daemons, "cluster", arguments.toArray(String[]::new));
  }

  private void start(String daemons) throws Exception {
    String port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = String.valueOf(free.getLocalPort());
    }
    Said started =
        cluster(daemons, "start", "--workers=2", "--cores", "1", "--memory", "2g", "--port", port);
    assertThat(started.code()).as(started.errors()).isZero();
    master = "spark://127.0.0.1:" + port;
  }

  @AfterEach
  void stop() throws Exception {
    assertThat(cluster("", "stop").output()).isEqualTo("stopped 3 processes\n");
    assertThat(cluster("", "status").errors()).contains("no cluster runs");
  }

  private Said job(String command, TestRun run, List<String> settings, String... more)
      throws Exception {
    List<String> arguments = new ArrayList<>(List.of("--master", master));
    arguments.addAll(List.of("--driver-memory", "1g", "--executor-memory", "1g"));
    settings.forEach(setting -> arguments.addAll(List.of("--conf", setting)));
    arguments.addAll(Arrays.asList(run.arguments(more)));
    return submit("", command, arguments.toArray(String[]::new));
  }

  @Test
  void aDriverOnTheClusterMeasuresTheSameValuesAndItsErrorsAreThisCommands() throws Exception {
    start("");
    assertThat(cluster("", "status").output()).isEqualTo(master + " with 2 workers\n");
    assertThat(cluster("", "start").errors()).contains("a cluster runs already");
    TestRun run = new TestRun(folder.resolve("there")).configByUri();
    Said none = job("vstar", run, SHARING, "--deploy-mode", "cluster");
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.errors()).contains("did not end well: what it said is in the folder driver-");

    Said values = job("vstar", run.withReference(1), SHARING, "--deploy-mode", "cluster");
    assertThat(values.code()).as(values.errors()).isZero();
    TestRun here = new TestRun(folder.resolve("here")).withReference(1);
    SparkSession spark = TestRun.session("local[2]");
    try {
      assertThat(here.run(new VStarJob())).as(here.errors()).isZero();
      assertThat(run.values(spark)).isEqualTo(here.values(spark));
      assertThat(run.samples(spark)).isEqualTo(here.samples(spark));
    } finally {
      spark.stop();
    }
  }

  @Test
  void whereAllHaveToKnowASecretExecutorsPlayTrainingAsThisMachineAloneDoes() throws Exception {
    start(CAREFUL_DAEMONS);
    TestRun run = new TestRun(folder.resolve("there")).withReference(1);
    TestRun here = new TestRun(folder.resolve("here")).withReference(1);
    SparkSession spark = TestRun.session("local[2]");
    try {
      assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
      assertThat(here.run(new VStarJob())).as(here.errors()).isZero();
      assertThat(here.run(new TrainJob())).as(here.errors()).isZero();
    } finally {
      spark.stop();
    }
    Said trained = job("train", run.configByUri(), CAREFUL, "--rollouts", "executors");
    assertThat(trained.code()).as(trained.errors()).isZero();
    assertThat(trained.errors()).doesNotContain(SECRET);
    assertThat(run.trained()).isEqualTo(here.trained());
  }
}
