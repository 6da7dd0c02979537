package org.vstar.spark.tracking;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.mlflow.tracking.creds.MlflowHostCreds;

/**
 * Sends files to a run of MLflow through its server ({@code PUT
 * /api/2.0/mlflow-artifacts/artifacts/…}). MLflow's own client would call MLflow's Python for it.
 *
 * @param server address and credentials
 * @param place the run's artifact URI
 */
record MlflowArtifacts(MlflowHostCreds server, String place) {

  /** How MLflow calls artifacts that go through the server. */
  private static final String SERVED = "mlflow-artifacts:";

  private static final int OK = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Whether the server takes files. */
  boolean served() {
    return place.startsWith(SERVED);
  }

  /**
   * Sends a file.
   *
   * @throws IOException if the server does not take it
   */
  void send(String name, byte[] content) throws IOException {
    String path = URI.create(place).getPath().replaceAll("^/+", "");
    URI to =
        URI.create(server.getHost() + "/api/2.0/mlflow-artifacts/artifacts/" + path + "/" + name);
    HttpRequest.Builder request = HttpRequest.newBuilder(to).timeout(PATIENCE);
    authorization().ifPresent(header -> request.header("Authorization", header));
    try {
      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(PATIENCE)
              .build()
              .send(
                  request.PUT(BodyPublishers.ofByteArray(content)).build(),
                  BodyHandlers.ofString());
      if (answer.statusCode() / 100 != OK) {
        throw new IOException("status " + answer.statusCode());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private Optional<String> authorization() {
    // In the order of MLflow's client.
    if (server.getUsername() != null && server.getPassword() != null) {
      String both = server.getUsername() + ":" + server.getPassword();
      byte[] bytes = both.getBytes(StandardCharsets.UTF_8);
      return Optional.of("Basic " + Base64.getEncoder().encodeToString(bytes));
    }
    return Optional.ofNullable(server.getToken()).map(token -> "Bearer " + token);
  }
}
