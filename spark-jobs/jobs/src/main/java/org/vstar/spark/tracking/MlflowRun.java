package org.vstar.spark.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.mlflow.api.proto.Service.CreateRun;
import org.mlflow.api.proto.Service.Metric;
import org.mlflow.api.proto.Service.Param;
import org.mlflow.api.proto.Service.RunInfo;
import org.mlflow.api.proto.Service.RunStatus;
import org.mlflow.api.proto.Service.RunTag;
import org.mlflow.tracking.MlflowClient;
import org.mlflow.tracking.creds.BasicMlflowHostCreds;
import org.mlflow.tracking.creds.MlflowHostCreds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;

/**
 * A training run as a run of MLflow: its settings as parameters, its numbers as metrics, {@code
 * report.html} and {@code metrics.jsonl} as artifacts. A job that goes on with {@code --resume}
 * goes on in the same run, whose id is kept in {@code mlflow.json}.
 *
 * <p>A thread of its own sends, so that a slow server does not hold training up. A server that
 * cannot be reached is an error when the job starts. Later it is a warning: numbers wait, and are
 * sent with the next ones.
 */
public final class MlflowRun implements MetricsSink {

  private static final Logger LOG = LoggerFactory.getLogger(MlflowRun.class);

  private static final String FILE = "/mlflow.json";
  private static final List<String> ARTIFACTS = List.of("report.html", "metrics.jsonl");
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PATIENCE_SECONDS = 30;

  /** What one request may have, by MLflow's own limits. */
  private static final int MOST_METRICS = 1000;

  private static final int MOST_PARAMETERS = 100;
  private static final int LONGEST_PARAMETER = 6000;

  private final MlflowClient client;
  private final String uri;
  private final String id;
  private final MlflowArtifacts artifacts;
  private final RunStore store;
  private final String folder;
  private final ExecutorService sender;
  private final List<Metric> waiting = new ArrayList<>();
  private Future<?> sending;
  private long asked = System.nanoTime();
  private volatile boolean complete;

  private MlflowRun(
      MlflowHostCreds server,
      MlflowClient client,
      ExecutorService sender,
      RunInfo run,
      RunStore store,
      String folder) {
    this.uri = server.getHost();
    this.client = client;
    this.sender = sender;
    this.id = run.getRunId();
    this.artifacts = new MlflowArtifacts(server, run.getArtifactUri());
    this.store = store;
    this.folder = folder;
  }

  /** Opens a run where the config names a server; found by ServiceLoader. */
  public static final class Opener implements Kind {
    @Override
    public Optional<MetricsSink> open(RunStore store, String folder, Start start)
        throws IOException {
      return start.tracking().mlflow() == null
          ? Optional.empty()
          : Optional.of(MlflowRun.open(store, folder, start));
    }
  }

  private static MlflowRun open(RunStore store, String folder, Start start) throws IOException {
    TrackingConfig.Mlflow config = start.tracking().mlflow();
    BasicMlflowHostCreds server =
        new BasicMlflowHostCreds(
            config.uri().replaceAll("/+$", ""),
            System.getenv("MLFLOW_TRACKING_USERNAME"),
            System.getenv("MLFLOW_TRACKING_PASSWORD"),
            System.getenv("MLFLOW_TRACKING_TOKEN"),
            false);
    String uri = server.getHost();
    MlflowClient client = new MlflowClient(server);
    ExecutorService sender = Executors.newSingleThreadExecutor(MlflowRun::daemon);
    try {
      String id = start.step() == 0 ? "" : known(store, folder, uri);
      RunInfo run =
          sender
              .submit(() -> id.isEmpty() ? create(client, config, start) : again(client, id))
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      byte[] json = Json.MAPPER.writeValueAsBytes(Map.of("uri", uri, "run_id", run.getRunId()));
      store.publish(folder + FILE, out -> out.write(json));
      return new MlflowRun(server, client, sender, run, store, folder);
    } catch (InterruptedException | IOException e) {
      sender.shutdownNow();
      client.close();
      if (e instanceof IOException unreadable) {
        throw unreadable;
      }
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      sender.shutdownNow();
      client.close();
      String why = e.getCause() == null ? "no answer" : reason(e.getCause());
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "cannot begin a run in MLflow at %s (%s): look after the server (a run that was deleted"
                  + " there is forgotten without %s), or take tracking.mlflow out of the config",
              uri,
              why,
              store.location(folder + FILE)),
          e);
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "mlflow");
    thread.setDaemon(true);
    return thread;
  }

  /** The id of the run that a job on this server began, or nothing. */
  private static String known(RunStore store, String folder, String uri) throws IOException {
    if (!store.exists(folder + FILE)) {
      return "";
    }
    try (InputStream in = store.read(folder + FILE)) {
      JsonNode file = Json.read(store.location(folder + FILE), in, JsonNode.class);
      return file.path("uri").asText().equals(uri) ? file.path("run_id").asText() : "";
    }
  }

  private static RunInfo create(MlflowClient client, TrackingConfig.Mlflow config, Start start) {
    String experiment =
        client
            .getExperimentByName(config.experiment())
            .map(found -> found.getExperimentId())
            .orElseGet(() -> client.createExperiment(config.experiment()));
    RunInfo run =
        client.createRun(
            CreateRun.newBuilder()
                .setExperimentId(experiment)
                .setRunName(start.run())
                .setStartTime(System.currentTimeMillis())
                .addTags(RunTag.newBuilder().setKey("mlflow.source.name").setValue("submit/train"))
                .build());
    List<Param> parameters = new ArrayList<>();
    start
        .settings()
        .forEach(
            (name, value) ->
                parameters.add(
                    Param.newBuilder()
                        .setKey(name)
                        .setValue(value.substring(0, Math.min(value.length(), LONGEST_PARAMETER)))
                        .build()));
    for (int from = 0; from < parameters.size(); from += MOST_PARAMETERS) {
      int to = Math.min(parameters.size(), from + MOST_PARAMETERS);
      client.logBatch(run.getRunId(), List.of(), parameters.subList(from, to), List.of());
    }
    return run;
  }

  private static RunInfo again(MlflowClient client, String id) {
    RunInfo run = client.getRun(id).getInfo();
    client.sendPost(
        "runs/update",
        Json.MAPPER.createObjectNode().put("run_id", id).put("status", "RUNNING").toString());
    return run;
  }

  @Override
  public void scalars(String stage, long step, Map<String, Double> values) {
    long now = System.currentTimeMillis();
    List<Metric> metrics = new ArrayList<>();
    values.forEach(
        (name, value) -> {
          if (Double.isFinite(value)) {
            metrics.add(
                Metric.newBuilder()
                    .setKey(stage + "/" + name)
                    .setValue(value)
                    .setStep(step)
                    .setTimestamp(now)
                    .build());
          }
        });
    synchronized (waiting) {
      waiting.addAll(metrics);
    }
    if (System.nanoTime() - asked >= PAUSE_NANOS) {
      flush();
    }
  }

  /** Asks for what waits to be sent; training does not wait for it. */
  @Override
  public void flush() {
    asked = System.nanoTime();
    if (sending == null || sending.isDone()) {
      sending = sender.submit(this::sendNumbers);
    }
  }

  private void sendNumbers() {
    try {
      for (List<Metric> some = next(); !some.isEmpty(); some = next()) {
        client.logBatch(id, some, List.of(), List.of());
        synchronized (waiting) {
          waiting.subList(0, some.size()).clear();
        }
      }
    } catch (RuntimeException e) {
      // Also what the client throws besides its own: in a Future nobody would hear of it.
      LOG.warn("MLflow at {} does not take the numbers ({})", uri, reason(e));
    }
  }

  private List<Metric> next() {
    synchronized (waiting) {
      return List.copyOf(waiting.subList(0, Math.min(waiting.size(), MOST_METRICS)));
    }
  }

  @Override
  public void complete() {
    complete = true;
  }

  /** Sends what waits, the files, and how training ended; gives up after a while. */
  @Override
  public void close() {
    sender.submit(this::end);
    sender.shutdown();
    try {
      if (!sender.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "MLflow at {} does not answer: what it lacks is in {}", uri, store.location(folder));
        sender.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end() {
    sendNumbers();
    try {
      for (String artifact : ARTIFACTS) {
        if (store.exists(folder + "/" + artifact)) {
          sendFile(artifact);
        }
      }
      client.setTerminated(id, complete ? RunStatus.FINISHED : RunStatus.FAILED);
    } catch (IOException | RuntimeException e) {
      LOG.warn("MLflow at {} cannot be told the end ({})", uri, reason(e));
    } finally {
      client.close();
    }
  }

  private void sendFile(String name) throws IOException {
    if (!artifacts.served()) {
      LOG.warn(
          "MLflow keeps artifacts in {}, where the job does not write: {} stays in {}",
          artifacts.place(),
          name,
          store.location(folder));
      return;
    }
    byte[] content;
    try (InputStream in = store.read(folder + "/" + name)) {
      content = in.readAllBytes();
    }
    try {
      artifacts.send(name, content);
    } catch (IOException e) {
      LOG.warn("MLflow at {} does not take {} ({})", uri, name, e.getMessage());
    }
  }

  /** MLflow's own words run over several lines. */
  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("no reason given");
  }
}
