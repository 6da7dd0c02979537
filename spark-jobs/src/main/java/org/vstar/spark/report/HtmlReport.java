package org.vstar.spark.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.Html;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.Evaluation;
import org.vstar.spark.score.MethodSummary;
import org.vstar.spark.score.Score;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.tracking.JsonLines;
import org.vstar.spark.tracking.MetricsSink;

/** The report: one page that needs nothing but a browser. */
public final class HtmlReport {

  private static final int BINS = 24;
  private static final int EXAMPLES = 3;

  private static final String CSS =
      """
      table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .8em;border-bottom:1px solid #ddd;text-align:right}
      td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}
      .turn{margin:.5em 0;padding:.4em .8em;background:#f6f6f6;border-left:3px solid #bbb;font-size:13px}
      .turn.good{border-color:#2a9d5c}.turn.bad{border-color:#d1495b}i{color:#666}
      """;

  private final StringBuilder html = new StringBuilder();

  private HtmlReport() {}

  /**
   * What a page shows beside the evaluation. It is read before work is spent on that, so that a
   * damaged file is heard of in time.
   *
   * @param curves (update, success rate) by the curve's name
   * @param vStar V* of the train tasks; empty if it has not been measured
   */
  public record Training(Map<String, List<double[]>> curves, List<Double> vStar) {

    /**
     * Reads what a run has so far.
     *
     * @param objectives the sections that may have been trained with
     */
    public static Training read(RunFolder run, Collection<String> objectives, Tables tables)
        throws IOException {
      List<Double> vStar =
          tables.hasVStar() ? List.copyOf(new VStarTable(tables).byTask().values()) : List.of();
      return new Training(HtmlReport.curves(run, objectives), vStar);
    }
  }

  /**
   * Publishes {@code report.html}, {@code learning.svg} and {@code vstar.svg} under a folder's
   * name.
   *
   * @param title the run's name
   */
  public static void write(
      String title, RunFolder run, Training training, String folder, Evaluation evaluation)
      throws IOException {
    HtmlReport report = new HtmlReport();
    report.html.append(Html.head("Vstar: " + title, CSS));
    report.html.append("<h1>Vstar: ").append(Html.escape(title)).append("</h1>\n");
    report.results(evaluation, run.stageTimes());
    if (!training.curves.isEmpty()) {
      String chart = Chart.lines(training.curves, "update");
      ResultFiles.publish(run.store(), folder + "/learning.svg", chart);
      report.section("Learning curve", "Success rate by update.", chart);
    }
    if (!training.vStar.isEmpty()) {
      String chart = Chart.histogram(training.vStar, BINS, "V*");
      ResultFiles.publish(run.store(), folder + "/vstar.svg", chart);
      report.section(
          "V* of the train tasks", "What each is worth under the reference policy.", chart);
    }
    report.categories(evaluation.methods());
    report.examples(evaluation);
    report.html.append("</body></html>\n");
    ResultFiles.publish(run.store(), folder + "/report.html", report.html.toString());
  }

  private void section(String title, String text, String chart) {
    html.append("<h2>").append(Html.escape(title)).append("</h2><p>");
    html.append(Html.escape(text)).append("</p>\n").append(chart);
  }

  private void results(Evaluation evaluation, Map<String, Double> stages) {
    html.append("<h2>")
        .append(Html.escape(evaluation.title()))
        .append("</h2><table><tr><th>method</th><th>success</th>")
        .append("<th>95 % interval</th><th>return</th><th>steps</th><th>episodes</th></tr>\n");
    for (MethodSummary m : evaluation.methods()) {
      Score s = m.all();
      html.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%s</td><td>%.1f %%</td><td>%.1f – %.1f %%</td><td>%.3f</td><td>%.2f</td>"
                  + "<td>%d</td></tr>%n",
              Html.escape(m.label()),
              100 * s.successRate(),
              100 * s.successInterval().low(),
              100 * s.successInterval().high(),
              s.avgReward(),
              s.avgSteps(),
              s.episodes()));
    }
    html.append("</table>\n<p>");
    evaluation.remarks().forEach(line -> html.append(Html.escape(line)).append("<br>\n"));
    html.append("</p>\n<table><tr><th>stage</th><th>seconds</th></tr>\n");
    stages.forEach(
        (stage, seconds) ->
            html.append(
                String.format(
                    Locale.ROOT,
                    "<tr><td>%s</td><td>%.1f</td></tr>%n",
                    Html.escape(stage),
                    seconds)));
    html.append("</table>\n");
  }

  private static Map<String, List<double[]>> curves(RunFolder run, Collection<String> objectives)
      throws IOException {
    Map<String, List<double[]>> curves = new LinkedHashMap<>();
    for (String stage : List.of(MetricsSink.TRAIN, MetricsSink.VALIDATION)) {
      boolean train = stage.equals(MetricsSink.TRAIN);
      for (String objective : objectives) {
        String name =
            objective + (train ? ", sampled on train tasks" : ", greedy on validation tasks");
        for (JsonNode line : JsonLines.read(run.store(), RunFolder.training(objective))) {
          if (line.path("stage").asText().equals(stage)) {
            curves
                .computeIfAbsent(name, k -> new ArrayList<>())
                .add(new double[] {line.path("step").asDouble(), success(line)});
          }
        }
      }
    }
    return curves;
  }

  private static double success(JsonNode line) {
    if (!line.path("success").isNumber()) {
      throw new InvalidInputException("metrics.jsonl: no success rate in the line " + line);
    }
    return line.path("success").asDouble();
  }

  private void categories(List<MethodSummary> methods) {
    html.append("<h2>Success by category</h2>\n");
    Map<String, Map<String, Double>> groups = new LinkedHashMap<>();
    for (MethodSummary m : methods) {
      if (m.mode().equals(EpisodeRow.SAMPLED)) {
        m.byCategory()
            .forEach(
                (category, score) ->
                    groups
                        .computeIfAbsent(category, k -> new LinkedHashMap<>())
                        .put(m.label(), score.successRate()));
      }
    }
    html.append(Chart.bars(groups));
  }

  /** Tasks that the reference fails and a trained policy does not, both to read. */
  private void examples(Evaluation evaluation) {
    List<EpisodeRow> rows = evaluation.rows();
    List<EpisodeRow> before =
        rows.stream()
            .filter(r -> r.method().equals(Evaluation.REFERENCE) && !r.success())
            .filter(r -> r.mode().equals(EpisodeRow.SAMPLED))
            .toList();
    int shown = 0;
    html.append("<h2>Before and after</h2>\n");
    for (EpisodeRow old : before) {
      EpisodeRow trained =
          rows.stream()
              .filter(r -> r.taskId().equals(old.taskId()) && r.sample() == old.sample())
              .filter(r -> r.mode().equals(old.mode()) && r.success())
              .filter(r -> evaluation.trained().contains(r.method()))
              .findFirst()
              .orElse(null);
      boolean again = html.indexOf(old.taskId()) >= 0;
      if (trained != null && !again && shown++ < EXAMPLES) {
        html.append("<h3>Task ").append(old.taskId()).append("</h3>\n");
        transcript(old);
        transcript(trained);
      }
    }
  }

  private void transcript(EpisodeRow row) {
    html.append("<p><b>")
        .append(Html.escape(row.method()))
        .append("</b>: ")
        .append(row.success() ? "success" : Html.escape(row.failure()))
        .append("</p>\n");
    for (EpisodeRow.TurnRow t : row.turns()) {
      html.append("<div class=\"turn ")
          .append(t.reward() > 0 ? "good" : t.reward() < 0 ? "bad" : "")
          .append("\">")
          .append(Html.escape(t.observation()))
          .append("<br><i>")
          .append(Html.escape(t.thought()))
          .append("</i><br><b>")
          .append(Html.escape(t.action()))
          .append(
              String.format(
                  Locale.ROOT, "</b> (%s, %+.2f)</div>%n", Html.escape(t.event()), t.reward()));
    }
  }
}
