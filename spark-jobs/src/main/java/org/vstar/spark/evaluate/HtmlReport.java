package org.vstar.spark.evaluate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.vstar.model.train.TrainConfig;
import org.vstar.spark.Job;
import org.vstar.spark.RunFolder;
import org.vstar.spark.vstar.Tables;

/** The report: one page that needs nothing but a browser. */
final class HtmlReport {

  private static final int BINS = 24;
  private static final int EXAMPLES = 3;

  private final StringBuilder html = new StringBuilder();

  private HtmlReport() {}

  /**
   * Writes the page.
   *
   * @param title the run's name
   */
  static String of(String title, RunFolder folder, SparkSession spark, Evaluation evaluation)
      throws IOException {
    List<Method> methods = evaluation.methods();
    HtmlReport report = new HtmlReport();
    report.head(title);
    report.results(evaluation, folder.stageTimes());
    report.learning(folder);
    report.values(folder, spark);
    report.categories(methods);
    report.examples(evaluation.rows());
    return report.html.append("</body></html>\n").toString();
  }

  private void head(String title) {
    html.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Vstar: ")
        .append(escape(title))
        .append(
            """
            </title><style>
            body{font:15px/1.5 system-ui,sans-serif;max-width:860px;margin:2em auto;padding:0 1em;color:#222}
            table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .8em;border-bottom:1px solid #ddd;text-align:right}
            td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}
            .turn{margin:.5em 0;padding:.4em .8em;background:#f6f6f6;border-left:3px solid #bbb;font-size:13px}
            .turn.good{border-color:#2a9d5c}.turn.bad{border-color:#d1495b}i{color:#666}
            </style></head><body><h1>Vstar: \
            """)
        .append(escape(title))
        .append("</h1>\n");
  }

  private void results(Evaluation evaluation, Map<String, Double> stages) {
    html.append("<h2>Held-out test tasks</h2><table><tr><th>method</th><th>success</th>")
        .append("<th>95 % interval</th><th>return</th><th>steps</th><th>episodes</th></tr>\n");
    for (Method m : evaluation.methods()) {
      Score s = m.all();
      html.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%s</td><td>%.1f %%</td><td>%.1f – %.1f %%</td><td>%.3f</td><td>%.2f</td>"
                  + "<td>%d</td></tr>%n",
              escape(m.label()),
              100 * s.successRate(),
              100 * s.successInterval().low(),
              100 * s.successInterval().high(),
              s.avgReward(),
              s.avgSteps(),
              s.episodes()));
    }
    html.append("</table>\n<p>");
    evaluation.remarks().forEach(line -> html.append(escape(line)).append("<br>\n"));
    html.append("</p>\n<table><tr><th>stage</th><th>seconds</th></tr>\n");
    stages.forEach(
        (stage, seconds) ->
            html.append(
                String.format(
                    Locale.ROOT, "<tr><td>%s</td><td>%.1f</td></tr>%n", escape(stage), seconds)));
    html.append("</table>\n");
  }

  private void learning(RunFolder folder) throws IOException {
    Map<String, List<double[]>> sampled = new LinkedHashMap<>();
    Map<String, List<double[]>> greedy = new LinkedHashMap<>();
    for (TrainConfig.Kind kind : TrainConfig.Kind.values()) {
      String objective = kind.name().toLowerCase(Locale.ROOT);
      Path metrics = folder.training(objective).resolve("metrics.jsonl");
      if (!Files.exists(metrics)) {
        continue;
      }
      for (String line : Files.readAllLines(metrics)) {
        JsonNode tree = new ObjectMapper().readTree(line);
        boolean evaluation = tree.path("kind").asText().equals("evaluation");
        Map<String, List<double[]>> to = evaluation ? greedy : sampled;
        String name =
            objective + (evaluation ? ", greedy on test tasks" : ", sampled on train tasks");
        to.computeIfAbsent(name, k -> new ArrayList<>())
            .add(new double[] {tree.path("step").asDouble(), tree.path("success").asDouble()});
      }
    }
    if (!sampled.isEmpty()) {
      html.append("<h2>Learning curve</h2><p>Success rate by update.</p>\n");
      Map<String, List<double[]>> lines = new LinkedHashMap<>(sampled);
      lines.putAll(greedy);
      html.append(Chart.lines(lines, "update"));
    }
  }

  private void values(RunFolder folder, SparkSession spark) {
    Tables tables = Job.tables(spark, folder);
    if (!tables.hasVStar()) {
      return;
    }
    List<Double> values =
        tables.vstar().select("v_star").collectAsList().stream().map(r -> r.getDouble(0)).toList();
    html.append(
            "<h2>V* of the train tasks</h2><p>What each is worth under the reference policy.</p>\n")
        .append(Chart.histogram(values, BINS, "V*"));
  }

  private void categories(List<Method> methods) {
    html.append("<h2>Success by category</h2>\n");
    Map<String, Map<String, Double>> groups = new LinkedHashMap<>();
    for (Method m : methods) {
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
  private void examples(List<EpisodeRow> rows) {
    List<EpisodeRow> before =
        rows.stream()
            .filter(r -> r.method().equals(EvaluateJob.REFERENCE) && !r.success())
            .filter(r -> r.mode().equals(EpisodeRow.SAMPLED))
            .toList();
    int shown = 0;
    html.append("<h2>Before and after</h2>\n");
    for (EpisodeRow old : before) {
      EpisodeRow trained =
          rows.stream()
              .filter(r -> r.taskId().equals(old.taskId()) && r.sample() == old.sample())
              .filter(r -> r.mode().equals(old.mode()) && r.success())
              .filter(r -> r.method().startsWith(EvaluateJob.TRAINED))
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
        .append(escape(row.method()))
        .append("</b>: ")
        .append(row.success() ? "success" : escape(row.failure()))
        .append("</p>\n");
    for (EpisodeRow.TurnRow t : row.turns()) {
      html.append("<div class=\"turn ")
          .append(t.reward() > 0 ? "good" : t.reward() < 0 ? "bad" : "")
          .append("\">")
          .append(escape(t.observation()))
          .append("<br><i>")
          .append(escape(t.thought()))
          .append("</i><br><b>")
          .append(escape(t.action()))
          .append(
              String.format(
                  Locale.ROOT, "</b> (%s, %+.2f)</div>%n", escape(t.event()), t.reward()));
    }
  }

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
