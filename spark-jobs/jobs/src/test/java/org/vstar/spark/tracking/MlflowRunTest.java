package org.vstar.spark.tracking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.spark.store.Store;

/** MLflow's own client against a server that answers as MLflow's REST API says. */
class MlflowRunTest {

  private static final String API = "/api/2.0/mlflow/";
  private static final String RUN =
      "{\"run\":{\"info\":{\"run_id\":\"r1\",\"artifact_uri\":\"mlflow-artifacts:/7/r1/artifacts\"}}}";

  private record Call(String what, String body) {}

  @TempDir Path folder;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private Store store;
  private volatile int status = 200;

  @BeforeEach
  void start() throws IOException {
    store = Store.open(folder.toString());
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange call) throws IOException {
    String path = call.getRequestURI().getPath();
    String what = path.startsWith(API) ? path.substring(API.length()) : path;
    byte[] body = call.getRequestBody().readAllBytes();
    boolean unknown = what.equals("experiments/get-by-name");
    int code = unknown ? 404 : status;
    String refused = code == 200 ? "" : "refused ";
    calls.add(
        new Call(
            refused + call.getRequestMethod() + " " + what,
            new String(body, StandardCharsets.UTF_8)));
    String answer =
        unknown
            ? "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\",\"message\":\"no such experiment\"}"
            : what.equals("experiments/create")
                ? "{\"experiment_id\":\"7\"}"
                : what.startsWith("runs/") && !what.equals("runs/log-batch") ? RUN : "{}";
    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
    call.sendResponseHeaders(code, bytes.length);
    call.getResponseBody().write(bytes);
    call.close();
  }

  private String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private MetricsSink open(long step) throws IOException {
    TrackingConfig tracking = new TrackingConfig(new TrackingConfig.Mlflow(uri() + "/", "shops"));
    MetricsSink.Start start =
        new MetricsSink.Start("small", step, Map.of("train.steps", "40", "seed", "7"), tracking);
    return new MlflowRun.Opener().open(store, "train-x", start).orElseThrow();
  }

  private List<JsonNode> bodies(String what) {
    return calls.stream()
        .filter(call -> call.what.equals(what))
        .map(
            call -> {
              try {
                return Json.MAPPER.readTree(call.body);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            })
        .toList();
  }

  @Test
  void settingsNumbersFilesAndTheEndAreSent() throws IOException {
    store.publish("train-x/report.html", out -> out.write('p'));
    try (MetricsSink sink = open(0)) {
      sink.scalars(MetricsSink.TRAIN, 0, Map.of("loss", 0.5, "kl", Double.NaN));
      sink.scalars(MetricsSink.VALIDATION, 20, Map.of("success", 0.25));
      sink.flush();
      sink.complete();
    }
    assertThat(bodies("POST experiments/create").get(0).path("name").asText()).isEqualTo("shops");
    JsonNode created = bodies("POST runs/create").get(0);
    assertThat(created.path("experiment_id").asText()).isEqualTo("7");
    assertThat(created.path("run_name").asText()).isEqualTo("small");
    List<JsonNode> batches = bodies("POST runs/log-batch");
    assertThat(batches.get(0).path("params").findValuesAsText("key"))
        .containsExactlyInAnyOrder("train.steps", "seed");
    JsonNode metrics = batches.get(1).path("metrics");
    assertThat(metrics.findValuesAsText("key"))
        .as("NaN is no number that JSON has")
        .containsExactly("train/loss", "validation/success");
    assertThat(metrics.path(1).path("step").asLong()).isEqualTo(20);
    assertThat(metrics.path(1).path("value").asDouble()).isEqualTo(0.25);
    assertThat(calls)
        .contains(
            new Call("PUT /api/2.0/mlflow-artifacts/artifacts/7/r1/artifacts/report.html", "p"));
    assertThat(bodies("POST runs/update").get(0).path("status").asText()).isEqualTo("FINISHED");
  }

  @Test
  void aJobThatGoesOnGoesOnInTheSameRunAndOneThatEndsTooSoonHasFailed() throws IOException {
    open(0).close();
    assertThat(bodies("POST runs/update").get(0).path("status").asText()).isEqualTo("FAILED");
    open(20).close();
    assertThat(bodies("POST runs/create")).hasSize(1);
    assertThat(bodies("POST runs/update").get(1).path("status").asText()).isEqualTo("RUNNING");
    open(0).close();
    assertThat(bodies("POST runs/create")).as("training anew").hasSize(2);
  }

  @Test
  void aServerThatFailsMeanwhileStopsNothingAndNumbersWait() throws IOException {
    try (MetricsSink sink = open(0)) {
      status = 400;
      sink.scalars(MetricsSink.TRAIN, 0, Map.of("loss", 0.5));
      sink.flush();
      while (bodies("refused POST runs/log-batch").isEmpty()) {
        Thread.onSpinWait();
      }
      status = 200;
      sink.scalars(MetricsSink.TRAIN, 1, Map.of("loss", 0.25));
      sink.flush();
    }
    List<String> steps = new ArrayList<>();
    bodies("POST runs/log-batch").forEach(b -> steps.addAll(b.findValuesAsText("step")));
    assertThat(steps).containsExactly("0", "1");
  }

  @Test
  void noServerIsAnErrorAtTheStartAndNoAddressIsOneOfTheConfig() {
    server.stop(0);
    assertThatThrownBy(() -> open(0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("cannot begin a run in MLflow at " + uri())
        .hasMessageContaining("tracking.mlflow");
    assertThatThrownBy(() -> new TrackingConfig.Mlflow("mlflow:5000", null))
        .hasMessageContaining("tracking.mlflow.uri");
  }
}
