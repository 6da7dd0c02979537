package org.vstar.spark.tracking;

import java.net.URI;
import java.net.URISyntaxException;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * Where the numbers of training go, beside the run's folder.
 *
 * @param mlflow an MLflow server; none without it
 */
public record TrackingConfig(@OptionalKey Mlflow mlflow) {

  /** Nowhere else. */
  public static final TrackingConfig NONE = new TrackingConfig(null);

  /**
   * An MLflow server. User, password or token are not for config files: they are read from the
   * environment, {@code MLFLOW_TRACKING_USERNAME}, {@code MLFLOW_TRACKING_PASSWORD} and {@code
   * MLFLOW_TRACKING_TOKEN}.
   *
   * @param uri its address, {@code http://host:5000}
   * @param experiment where the run is listed: {@code vstar} without it
   */
  public record Mlflow(String uri, @OptionalKey String experiment) {

    /** Checks the address. */
    public Mlflow {
      InvalidInputException.require(
          isAddress(uri),
          "tracking.mlflow.uri",
          "'" + uri + "'",
          "http://host:port or https://…, without a user or a query");
      experiment = experiment == null ? "vstar" : experiment;
      InvalidInputException.require(
          !experiment.isBlank(), "tracking.mlflow.experiment", "blank", "a name");
    }

    private static boolean isAddress(String uri) {
      try {
        URI parsed = new URI(uri);
        boolean web = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
        boolean bare = parsed.getRawUserInfo() == null && parsed.getRawQuery() == null;
        return web && bare && parsed.getHost() != null && parsed.getRawFragment() == null;
      } catch (URISyntaxException e) {
        return false;
      }
    }
  }
}
