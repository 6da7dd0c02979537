package org.vstar.spark.report;

import static java.util.Comparator.reverseOrder;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.Headroom;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.tracking.JsonLines;
import org.vstar.spark.tracking.MetricsSink;

/**
 * What training has left for reports.
 *
 * @param curves (update, success rate) by the curve's name
 * @param values V* of the train tasks; null if it has not been measured
 * @param episodes that training learned from, of the newest updates that were kept
 */
public record TrainingRecord(
    Map<String, List<double[]>> curves, Values values, List<EpisodeRow> episodes) {

  private static final Logger LOG = LoggerFactory.getLogger(TrainingRecord.class);

  private static final String EPISODES = "/episodes/";
  private static final int BINS = 24;

  /** What a page shows of one training, at most: of whole updates, the newest first. */
  private static final int MOST_EPISODES = 600;

  /**
   * How many values fall into each of some equal bins.
   *
   * @param low where the first begins
   * @param width of each
   */
  public record Histogram(double low, double width, int[] counts) {

    /** Of one value or more. */
    static Histogram of(Collection<Double> values) {
      double low = Collections.min(values);
      double width = Math.max(1e-9, Collections.max(values) - low) / BINS;
      int[] counts = new int[BINS];
      values.forEach(v -> counts[(int) Math.min(BINS - 1, (v - low) / width)]++);
      return new Histogram(low, width, counts);
    }
  }

  /**
   * What V* says of the train tasks.
   *
   * @param histogram of V*
   * @param headroom what training can add; empty if it was not measured
   */
  public record Values(Histogram histogram, Optional<Headroom> headroom) {}

  /** V* as reports show it, or null if it has not been measured. */
  public static Values values(Tables tables) {
    return tables.hasVStar()
        ? new Values(Histogram.of(new VStarTable(tables).byTask().values()), headroom(tables))
        : null;
  }

  private static Optional<Headroom> headroom(Tables tables) {
    return tables
        .headroom()
        .map(
            rows ->
                Headroom.of(
                    rows.collectAsList().stream()
                        .map(
                            row ->
                                new Headroom.Measure(
                                    row.getString(0),
                                    row.getString(1),
                                    row.getDouble(2),
                                    row.getDouble(3),
                                    row.getDouble(4),
                                    row.getLong(5)))
                        .toList()));
  }

  /**
   * Reads what a run has so far, before work is spent on what is to be reported with it, so that a
   * damaged file is heard of in time.
   *
   * @param objectives the sections that may have been trained with
   */
  public static TrainingRecord read(RunFolder run, Collection<String> objectives, Values values)
      throws IOException {
    Map<String, List<double[]>> curves = new LinkedHashMap<>();
    List<EpisodeRow> episodes = new ArrayList<>();
    for (String stage : List.of(MetricsSink.TRAIN, MetricsSink.VALIDATION)) {
      for (String objective : objectives) {
        addCurve(run, objective, stage, curves);
      }
    }
    for (String objective : objectives) {
      addEpisodes(run.store(), RunFolder.training(objective), episodes);
    }
    return new TrainingRecord(curves, values, episodes);
  }

  /**
   * Keeps the episodes of an update for reports.
   *
   * @param training the name of the training's folder
   * @param step updates taken, this one among them
   */
  public static void keep(RunStore store, String training, int step, List<EpisodeRow> rows)
      throws IOException {
    String name = String.format(Locale.ROOT, "%s%sstep-%06d.jsonl", training, EPISODES, step);
    ResultFiles.publish(
        store, name, rows.stream().map(row -> row.line() + "\n").collect(Collectors.joining()));
  }

  private static void addEpisodes(RunStore store, String training, List<EpisodeRow> to)
      throws IOException {
    Deque<List<EpisodeRow>> updates = new ArrayDeque<>();
    int found = 0;
    for (String name : store.list(training + EPISODES).stream().sorted(reverseOrder()).toList()) {
      List<EpisodeRow> rows = name.endsWith(".jsonl") ? episodes(store, name) : List.of();
      found += rows.size();
      if (found > MOST_EPISODES && !updates.isEmpty()) {
        break;
      }
      updates.addFirst(rows);
    }
    updates.forEach(to::addAll);
  }

  /** The episodes of one update. They are only shown: what is damaged is left out, and said. */
  private static List<EpisodeRow> episodes(RunStore store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return EpisodeRow.read(store.location(name), text.lines().toList());
    } catch (InvalidInputException e) {
      LOG.warn(e.getMessage() + ": left out of the report");
      return List.of();
    }
  }

  private static void addCurve(
      RunFolder run, String objective, String stage, Map<String, List<double[]>> curves)
      throws IOException {
    boolean train = stage.equals(MetricsSink.TRAIN);
    String name = objective + (train ? ", sampled on train tasks" : ", greedy on validation tasks");
    for (JsonNode line : JsonLines.read(run.store(), RunFolder.training(objective))) {
      if (line.path("stage").asText().equals(stage)) {
        curves
            .computeIfAbsent(name, k -> new ArrayList<>())
            .add(new double[] {line.path("step").asDouble(), success(line)});
      }
    }
  }

  private static double success(JsonNode line) {
    if (!line.path("success").isNumber()) {
      throw new InvalidInputException("metrics.jsonl: no success rate in the line " + line);
    }
    return line.path("success").asDouble();
  }
}
