package org.vstar.spark.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.Json;
import org.vstar.model.PythonEnvironment;

/**
 * The numbers of training as the trackers' own software has them: MLflow's server and client,
 * TensorBoard's reader, Prometheus' parser. Needs a Python 3 (see {@link PythonEnvironment}).
 */
class TrackersIT {

  private static final Path SCRIPTS = Path.of("src/test/python");
  private static final Map<String, String> PARAMETERS = Map.of("train.steps", "5", "seed", "7");
  private static final String SCRIPT = SCRIPTS.resolve("tracking.py").toString();

  /** It imports much; on a busy machine that takes minutes. */
  private static final int START_SECONDS = 400;

  private static PythonEnvironment python;

  @TempDir Path folder;
  private Process server;
  private int port;

  @BeforeAll
  static void make() throws Exception {
    python = PythonEnvironment.of(SCRIPTS.resolve("requirements.txt"));
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (server != null) {
      server.descendants().forEach(ProcessHandle::destroyForcibly);
      server.destroyForcibly().waitFor();
    }
  }

  private void serve() throws IOException, InterruptedException {
    ProcessBuilder command =
        python.process(
            "-m",
            "mlflow",
            "server",
            "--host",
            "127.0.0.1",
            "--port",
            String.valueOf(port),
            "--workers",
            "1",
            "--backend-store-uri",
            "sqlite:///" + folder.resolve("mlflow.db"),
            "--artifacts-destination",
            folder.resolve("artifacts").toString());
    // Else it starts processes for work that nobody asks of it.
    command.environment().put("MLFLOW_SERVER_ENABLE_JOB_EXECUTION", "false");
    Path log = folder.resolve("mlflow.log");
    server = command.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!answers()) {
      assertThat(server.isAlive() && System.nanoTime() < end).as(() -> log()).isTrue();
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("mlflow.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private boolean answers() {
    try {
      var health = URI.create(uri() + "/health").toURL().openConnection();
      return ((HttpURLConnection) health).getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false;
    }
  }

  private String uri() {
    return "http://127.0.0.1:" + port;
  }

  private MetricsSink open(long step) throws IOException {
    TrackingConfig tracking = new TrackingConfig(new TrackingConfig.Mlflow(uri(), "shops"));
    MetricsSink.Start start = new MetricsSink.Start("small", step, PARAMETERS, tracking);
    return new MlflowRun.Opener().open(new FolderStore(folder), "train-x", start).orElseThrow();
  }

  private static void step(MetricsSink sink, int step) throws IOException {
    sink.scalars(MetricsSink.TRAIN, step, Map.of("loss", 1.0 / (step + 1)));
    sink.flush();
  }

  @Test
  void aRunOfMlflowHasAllNumbersThoughItsServerGoesAwayAndTheJobIsResumed() throws Exception {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    serve();
    Files.createDirectories(folder.resolve("train-x"));
    Files.writeString(folder.resolve("train-x/report.html"), "<p>");
    Files.writeString(folder.resolve("train-x/metrics.jsonl"), "{}");
    try (MetricsSink sink = open(0)) {
      step(sink, 0);
      stop();
      step(sink, 1);
      serve();
      step(sink, 2);
    }
    try (MetricsSink sink = open(3)) {
      step(sink, 3);
      step(sink, 4);
      sink.complete();
    }
    JsonNode run = run();
    assertThat(run.path("status").asText()).isEqualTo("FINISHED");
    // A map has no order, and MLflow gives them back as they came.
    assertThat(run.path("params")).isEqualTo(Json.MAPPER.valueToTree(PARAMETERS));
    assertThat(run.path("metrics").toString())
        .isEqualTo("{\"train/loss\":[[0,1.0],[1,0.5],[2,0.3333333333333333],[3,0.25],[4,0.2]]}");
    assertThat(run.path("artifacts").toString()).isEqualTo("[\"metrics.jsonl\",\"report.html\"]");
  }

  private JsonNode run() throws Exception {
    JsonNode runs = Json.MAPPER.readTree(python.run(SCRIPT, "mlflow", uri(), "shops"));
    assertThat(runs).hasSize(1);
    return runs.path(0);
  }

  @Test
  void tensorBoardReadsTheScalarsOfARunThatWentOn() throws Exception {
    FolderStore store = new FolderStore(folder);
    MetricsSink.Start begun = new MetricsSink.Start("small", 0, Map.of(), TrackingConfig.NONE);
    try (MetricsSink sink = new TensorBoard.Opener().open(store, "train-x", begun).orElseThrow()) {
      step(sink, 0);
      step(sink, 1);
    }
    MetricsSink.Start on = new MetricsSink.Start("small", 1, Map.of(), TrackingConfig.NONE);
    // A file is named by the second in which it was begun.
    TimeUnit.MILLISECONDS.sleep(1100);
    try (MetricsSink sink = new TensorBoard.Opener().open(store, "train-x", on).orElseThrow()) {
      step(sink, 1);
      sink.scalars(MetricsSink.VALIDATION, 1, Map.of("success", 0.75));
    }
    String there = folder.resolve("train-x/tensorboard").toString();
    JsonNode read = Json.MAPPER.readTree(python.run(SCRIPT, "tensorboard", there));
    assertThat(read.path("train/loss").toString()).isEqualTo("[[0,1.0],[1,0.5]]");
    assertThat(read.path("validation/success").toString()).isEqualTo("[[1,0.75]]");
  }

  @Test
  void prometheusParsesThePageOfAJob() throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.port", "0")
            .config(
                "spark.metrics.conf.*.sink.prometheusServlet.class",
                "org.apache.spark.metrics.sink.PrometheusServlet")
            .config("spark.metrics.conf.*.sink.prometheusServlet.path", "/metrics/prometheus")
            .getOrCreate()) {
      SparkMetrics metrics = SparkMetrics.register();
      metrics.scalars("train", 7, Map.of("success", 0.5));
      URI page = URI.create(spark.sparkContext().uiWebUrl().get() + "/metrics/prometheus/");
      byte[] text = page.toURL().openStream().readAllBytes();
      metrics.close();
      Path saved = Files.write(folder.resolve("page.txt"), text);
      Process parser = python.process(SCRIPT, "prometheus").redirectInput(saved.toFile()).start();
      String said = new String(parser.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(parser.waitFor()).isZero();
      JsonNode samples = Json.MAPPER.readTree(said);
      // Before it Spark writes an application's id.
      List<Double> success = new ArrayList<>();
      samples
          .properties()
          .forEach(
              sample -> {
                if (sample.getKey().endsWith("_driver_vstar_train_success_Value")) {
                  success.add(sample.getValue().asDouble());
                }
              });
      assertThat(success).containsExactly(0.5);
    }
  }
}
