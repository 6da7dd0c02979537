package org.vstar.spark.study;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.vstar.common.Default;
import org.vstar.common.Json;
import org.vstar.common.OptionalKey;
import org.vstar.common.RunStore;
import org.vstar.model.rollout.Trajectory;
import org.vstar.spark.tracking.MetricsSink;

/**
 * What a run of an arm came to: a small file, by which the study is redrawn anywhere.
 *
 * @param settings content hash of all that it was run with
 * @param stageOne what was spent before training
 * @param curve evaluations during training, the first before the first update
 * @param episodes greedy episodes of the trained policy, one on each validation task
 * @param policy fingerprint of the trained policy
 * @param threads that training's rollouts were played by
 * @param episodesPerStep rollouts of an update
 */
@JsonNaming(SnakeCaseStrategy.class)
record UnitResult(
    String arm,
    long seed,
    String settings,
    StageOne stageOne,
    List<Point> curve,
    List<Episode> episodes,
    String policy,
    int threads,
    int episodesPerStep) {

  /**
   * Samples of the reference policy, which the V* table or offline training needs.
   *
   * @param rollouts how many; 0 for an arm that needs none
   * @param seconds how long they took, side by side on the cores there were
   * @param cores how many these were
   * @param success share of the samples that succeeded; absent for an arm that needs none
   * @param mixed share of the tasks of which some samples succeeded and some did not
   */
  record StageOne(
      long rollouts,
      double seconds,
      int cores,
      @OptionalKey Double success,
      @OptionalKey Double mixed)
      implements Serializable {}

  /**
   * An evaluation during training.
   *
   * @param step updates taken
   * @param rollouts played until then, stage 1 included
   * @param samplingSeconds of training's own rollouts until then
   * @param tableSeconds that training waited for tables after the first until then
   * @param updateSeconds of updates until then, and of reading a table
   * @param success on {@code train.evaluateTasks} validation tasks, greedily
   * @param meanReturn of the same episodes
   */
  @JsonNaming(SnakeCaseStrategy.class)
  record Point(
      int step,
      long rollouts,
      double samplingSeconds,
      @Default("0.0") double tableSeconds,
      double updateSeconds,
      double success,
      double meanReturn) {}

  /** A greedy episode on a validation task. */
  @JsonNaming(SnakeCaseStrategy.class)
  record Episode(String taskId, String cluster, boolean success, double episodeReturn) {
    static Episode of(Trajectory played) {
      return new Episode(
          played.task().id(), played.task().cluster(), played.success(), played.episodeReturn());
    }
  }

  private static final String FOLDER = "units/";

  static String file(String arm, long seed) {
    return FOLDER + arm + "-" + seed + ".json";
  }

  /** Seconds until a point, stage 1 included. */
  double seconds(Point point) {
    return stageOne.seconds + point.samplingSeconds + point.tableSeconds + point.updateSeconds;
  }

  /**
   * Seconds until a point with executors of one core each, at the rates that were measured: samples
   * and rollouts are shared among them, as far as there are enough, and updates are the driver's.
   */
  double wallClock(Point point, int executors) {
    double busy = Math.max(1, Math.min(executors, episodesPerStep));
    return (stageOne.seconds + point.tableSeconds) * stageOne.cores / executors
        + point.samplingSeconds * threads / busy
        + point.updateSeconds;
  }

  Point last() {
    return curve.get(curve.size() - 1);
  }

  void write(RunStore store) throws IOException {
    byte[] json = Json.MAPPER.writeValueAsBytes(this);
    store.publish(file(arm, seed), out -> out.write(json));
  }

  static Optional<UnitResult> read(RunStore store, String arm, long seed) throws IOException {
    String file = file(arm, seed);
    if (!store.exists(file)) {
      return Optional.empty();
    }
    try (InputStream in = store.read(file)) {
      return Optional.of(Json.read(store.location(file), in, UnitResult.class));
    }
  }

  /** How many rollouts an update is charged with. */
  @FunctionalInterface
  interface Charge {
    /**
     * Rollouts that were played so that so many updates could be taken.
     *
     * @param online what the updates played themselves
     */
    long rollouts(int step, long online);
  }

  /** The curve of a training, from what it wrote down. */
  static List<Point> curve(List<JsonNode> metrics, Charge charge) {
    List<Point> curve = new ArrayList<>();
    for (JsonNode evaluation : metrics) {
      if (!evaluation.path("stage").asText().equals(MetricsSink.VALIDATION)) {
        continue;
      }
      int step = evaluation.path("step").asInt();
      long played = 0;
      double sampling = 0;
      double tables = 0;
      double updates = 0;
      for (JsonNode update : metrics) {
        if (update.path("stage").asText().equals(MetricsSink.TRAIN)
            && update.path("step").asInt() < step) {
          played += update.path("rollouts").asLong();
          // The driver reads a table by itself.
          boolean stored = update.has("policy_lag");
          double taken = update.path("rollout_seconds").asDouble();
          sampling += stored ? 0 : taken;
          updates += update.path("update_seconds").asDouble() + (stored ? taken : 0);
          tables += update.path("refresh_seconds").asDouble();
        }
      }
      curve.add(
          new Point(
              step,
              charge.rollouts(step, played),
              sampling,
              tables,
              updates,
              evaluation.path("success").asDouble(),
              evaluation.path("return").asDouble()));
    }
    return curve;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s, seed %d", arm, seed);
  }
}
