package org.vstar.spark.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.vstar.common.Html;
import org.vstar.common.Json;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.Evaluation;
import org.vstar.spark.score.Headroom;
import org.vstar.spark.score.MethodSummary;
import org.vstar.spark.score.Score;

/**
 * The report: one page that needs nothing but a browser, with charts by Chart.js and a viewer of
 * episodes. {@code report.html}, {@code report.css} and {@code report.js} beside this class are
 * what it looks like and does; here is what it says.
 */
public final class HtmlReport {

  /** The name of the page in its folder. */
  public static final String FILE = "/report.html";

  /** A page of more would be slow to open; the files have all. */
  private static final int MOST_EPISODES = 4_000;

  /** After how long a page of a training that goes on loads itself again. */
  public static final int REFRESH_SECONDS = 10;

  /**
   * All that the page's script is given, but for the episodes.
   *
   * @param state in a sentence
   * @param results absent as long as there are none
   * @param stages seconds
   * @param curves (update, success rate) by the curve's name
   * @param values V* of the train tasks; absent if it has not been measured
   * @param headroom what training can add; empty if it has not been measured
   * @param advice what to do about it
   * @param trained methods that were trained, which the viewer shows beside the reference
   * @param note what is to be said of the episodes
   * @param refreshSeconds after how long the page loads itself again; 0 for never
   */
  private record Page(
      String state,
      Results results,
      Map<String, Double> stages,
      Map<String, List<double[]>> curves,
      TrainingRecord.Histogram values,
      List<Headroom.Line> headroom,
      String advice,
      Collection<String> trained,
      String note,
      int refreshSeconds) {}

  private record Results(String title, List<Method> methods, List<String> remarks) {
    static Results of(Evaluation evaluation) {
      List<Method> methods = evaluation.methods().stream().map(Method::of).toList();
      return new Results(evaluation.title(), methods, evaluation.remarks());
    }
  }

  private record Method(
      String label,
      String mode,
      double success,
      double low,
      double high,
      @JsonProperty("return") double episodeReturn,
      double steps,
      int episodes,
      Map<String, Double> categories) {

    static Method of(MethodSummary summary) {
      Score all = summary.all();
      Map<String, Double> categories = new LinkedHashMap<>();
      summary
          .byCategory()
          .forEach((category, score) -> categories.put(category, score.successRate()));
      return new Method(
          summary.label(),
          summary.mode().toString(),
          all.successRate(),
          all.successInterval().low(),
          all.successInterval().high(),
          all.avgReward(),
          all.avgSteps(),
          all.episodes(),
          categories);
    }
  }

  private HtmlReport() {}

  /**
   * Publishes {@code report.html} of an evaluation.
   *
   * @param title the run's name
   * @param folder where in the run
   */
  public static void write(
      String title, RunFolder run, TrainingRecord training, String folder, Evaluation evaluation)
      throws IOException {
    List<EpisodeRow> evaluated = some(evaluation.rows());
    List<EpisodeRow> all = Stream.concat(evaluated.stream(), training.episodes().stream()).toList();
    String note =
        String.format(
            Locale.ROOT,
            "%d of %d episodes of the evaluation, all of which are in episodes.jsonl, and %d that"
                + " training learned from in the newest updates that were kept.",
            evaluated.size(),
            evaluation.rows().size(),
            training.episodes().size());
    Page page =
        new Page(
            "",
            Results.of(evaluation),
            run.stageTimes(),
            training.curves(),
            histogram(training),
            headroom(training).map(Headroom::lines).orElse(List.of()),
            headroom(training).map(Headroom::advice).orElse(""),
            evaluation.trained(),
            note,
            0);
    publish(title, run, folder, page, all);
  }

  /**
   * Publishes {@code report.html} of training.
   *
   * @param title the run's name
   * @param folder where in the run
   * @param state how far it has come, in a sentence
   * @param going whether more is to come, so that the page should load itself again
   */
  public static void write(
      String title,
      RunFolder run,
      TrainingRecord training,
      String folder,
      String state,
      boolean going)
      throws IOException {
    Page page =
        new Page(
            state,
            null,
            run.stageTimes(),
            training.curves(),
            histogram(training),
            headroom(training).map(Headroom::lines).orElse(List.of()),
            headroom(training).map(Headroom::advice).orElse(""),
            List.of(),
            "What training learned from, in the newest updates that were kept; all are in episodes.",
            going ? REFRESH_SECONDS : 0);
    publish(title, run, folder, page, training.episodes());
  }

  private static TrainingRecord.Histogram histogram(TrainingRecord training) {
    return training.values() == null ? null : training.values().histogram();
  }

  private static Optional<Headroom> headroom(TrainingRecord training) {
    return Optional.ofNullable(training.values()).flatMap(TrainingRecord.Values::headroom);
  }

  /** All episodes of as many tasks as a page can have. */
  private static List<EpisodeRow> some(List<EpisodeRow> rows) {
    if (rows.size() <= MOST_EPISODES) {
      return rows;
    }
    List<String> tasks = rows.stream().map(EpisodeRow::taskId).distinct().sorted().toList();
    long kept = Math.max(1, (long) tasks.size() * MOST_EPISODES / rows.size());
    Set<String> wanted = tasks.stream().limit(kept).collect(Collectors.toSet());
    return rows.stream().filter(row -> wanted.contains(row.taskId())).toList();
  }

  private static void publish(
      String title, RunFolder run, String folder, Page page, List<EpisodeRow> episodes)
      throws IOException {
    String heading = Html.escape("Vstar: " + title);
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("title", heading);
    parts.put("css", PageParts.read("report.css"));
    parts.put("data", json(page));
    parts.put("episodes", packed(episodes));
    parts.put("chart", PageParts.chartLibrary());
    parts.put("script", PageParts.read("report.js"));
    ResultFiles.publish(run.store(), folder + FILE, PageParts.fill("report.html", parts));
  }

  /** JSON that cannot end the element that it stands in. */
  private static String json(Page page) throws IOException {
    return Json.MAPPER.writeValueAsString(page).replace("<", "\\u003c");
  }

  /** Transcripts repeat themselves: packed, a page is a tenth of the size. */
  private static String packed(List<EpisodeRow> episodes) throws IOException {
    if (episodes.isEmpty()) {
      return "";
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream packed = new GZIPOutputStream(bytes)) {
      Json.MAPPER.writeValue(packed, episodes);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }
}
