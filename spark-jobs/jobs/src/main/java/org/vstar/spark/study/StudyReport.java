package org.vstar.spark.study;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.vstar.common.Html;
import org.vstar.common.RunStore;
import org.vstar.spark.run.StudyConfig;
import org.vstar.spark.score.Interval;
import org.vstar.spark.score.SeedMean;

/** A page, and the same as Markdown: curves, final success, what each arm needs, differences. */
record StudyReport(String name, StudyConfig study, StudyResults results) {

  /** The page. */
  static final String PAGE = "report.html";

  private static final String TEXT = "report.md";

  /** Executors of one core whose wall clock is computed from measured rates. */
  private static final int[] EXECUTORS = {1, 8, 64};

  private static final String STYLE =
      "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
          + "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:right;"
          + "border-bottom:1px solid #ccc}td:first-child,th:first-child{text-align:left}"
          + "svg{width:100%;font-size:11px}svg line{stroke:#ddd}.arm{font-weight:600}";

  /** A table: its title, its head and its rows. */
  private record Table(String title, List<String> head, List<List<String>> rows) {}

  private static final String ROLLOUTS = "rollouts";

  private static Map<String, StudyResults.Axis> axes() {
    Map<String, StudyResults.Axis> axes = new LinkedHashMap<>();
    axes.put(ROLLOUTS, (run, point) -> point.rollouts());
    axes.put("seconds here", UnitResult::seconds);
    for (int executors : EXECUTORS) {
      axes.put(
          "seconds with " + executors + (executors == 1 ? " executor" : " executors"),
          (run, point) -> run.wallClock(point, executors));
    }
    return axes;
  }

  void write(RunStore store) throws IOException {
    List<Table> tables = tables();
    publish(store, TEXT, markdown(tables));
    publish(store, PAGE, html(tables));
  }

  private static void publish(RunStore store, String name, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    store.publish(name, out -> out.write(bytes));
  }

  private List<Table> tables() {
    List<Table> tables = new ArrayList<>();
    tables.add(references());
    tables.add(success());
    for (double budget : study.seconds()) {
      tables.add(after(budget));
    }
    for (double threshold : study.thresholds()) {
      tables.add(reached("Until " + percent(threshold) + " of success", threshold));
    }
    results
        .mostOfTheGain()
        .ifPresent(
            most ->
                tables.add(
                    reached(
                        "Until " + percent(most) + ", nine tenths of the best arm's gain", most)));
    return tables;
  }

  /** What the reference policies do, of the seeds that have samples. */
  private Table references() {
    Map<Long, UnitResult.StageOne> bySeed = new TreeMap<>();
    for (List<UnitResult> runs : results.arms().values()) {
      runs.stream()
          .filter(run -> run.stageOne().success() != null)
          .forEach(run -> bySeed.put(run.seed(), run.stageOne()));
    }
    List<List<String>> rows = new ArrayList<>();
    bySeed.forEach(
        (seed, own) ->
            rows.add(
                List.of(
                    Long.toString(seed),
                    number(own.rollouts()),
                    percent(own.success()),
                    percent(own.mixed()))));
    return new Table(
        "Reference policies, sampled on the train tasks",
        List.of("seed", "rollouts", "success", "tasks of mixed outcome"),
        rows);
  }

  private Table success() {
    List<List<String>> rows = new ArrayList<>();
    for (String arm : results.arms().keySet()) {
      List<UnitResult> runs = results.arms().get(arm);
      Optional<SeedMean> success = results.success(arm);
      Optional<SeedMean> difference = results.difference(arm, results.first());
      rows.add(
          List.of(
              arm,
              runs.size() + " of " + study.seeds().size(),
              success.map(s -> percent(s.mean()) + " " + percents(s.interval())).orElse("–"),
              arm.equals(results.first())
                  ? "–"
                  : difference
                      .map(d -> points(d.mean()) + " " + percents(d.interval()))
                      .orElse("–"),
              mean(runs, run -> run.last().rollouts()),
              mean(runs, run -> run.seconds(run.last()))));
    }
    return new Table(
        "Final success, greedy, on all validation tasks",
        List.of("arm", "seeds", "success", "against " + results.first(), "rollouts", "seconds"),
        rows);
  }

  private Table after(double budget) {
    List<String> head = new ArrayList<>(List.of("arm"));
    Map<String, StudyResults.Axis> times = axes();
    times.remove(ROLLOUTS);
    head.addAll(times.keySet());
    List<List<String>> rows = new ArrayList<>();
    for (String arm : results.arms().keySet()) {
      List<String> row = new ArrayList<>(List.of(arm));
      for (StudyResults.Axis axis : times.values()) {
        DoubleSummaryStatistics success =
            Arrays.stream(results.successAt(arm, axis, budget)).summaryStatistics();
        row.add(
            success.getCount() == 0
                ? "–"
                : percent(success.getAverage())
                    + " "
                    + percents(new Interval(success.getMin(), success.getMax())));
      }
      rows.add(row);
    }
    return new Table(
        "After "
            + number(budget)
            + " seconds: success on the evaluations of training, lowest to highest seed",
        head,
        rows);
  }

  private Table reached(String title, double threshold) {
    List<String> head = new ArrayList<>(List.of("arm", "seeds that do"));
    axes().keySet().forEach(axis -> head.addAll(List.of(axis, "times " + results.first())));
    List<List<String>> rows = new ArrayList<>();
    for (String arm : results.arms().keySet()) {
      List<String> row = new ArrayList<>(List.of(arm));
      StudyResults.Reached count = results.reached(arm, threshold, (run, point) -> 0);
      row.add(count.each().length + " of " + count.runs());
      for (StudyResults.Axis axis : axes().values()) {
        StudyResults.Reached reached = results.reached(arm, threshold, axis);
        row.add(reached.each().length == 0 ? "–" : number(reached.mean()));
        row.add(
            arm.equals(results.first())
                ? "1"
                : results
                    .ratio(arm, results.first(), threshold, axis)
                    .map(StudyReport::ratio)
                    .orElse("–"));
      }
      rows.add(row);
    }
    return new Table(title, head, rows);
  }

  private static String ratio(StudyResults.Ratio ratio) {
    return String.format(
        Locale.ROOT,
        "%.2f (%.2f – %.2f)",
        ratio.ratio(),
        ratio.interval().low(),
        ratio.interval().high());
  }

  private static String mean(List<UnitResult> runs, ToDoubleFunction<UnitResult> of) {
    return runs.isEmpty() ? "–" : number(runs.stream().mapToDouble(of).average().orElse(0));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%,.0f", value);
  }

  private static String percent(double rate) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * rate);
  }

  private static String points(double difference) {
    return String.format(Locale.ROOT, "%+.1f", 100 * difference);
  }

  private static String percents(Interval interval) {
    return String.format(Locale.ROOT, "(%.1f – %.1f)", 100 * interval.low(), 100 * interval.high());
  }

  private String markdown(List<Table> tables) {
    StringBuilder text = new StringBuilder("# Study " + name + "\n");
    for (Table table : tables) {
      text.append("\n## ").append(table.title).append("\n\n| ");
      text.append(String.join(" | ", table.head)).append(" |\n|");
      text.append("---|".repeat(table.head.size())).append('\n');
      table.rows.forEach(row -> text.append("| ").append(String.join(" | ", row)).append(" |\n"));
    }
    return text.append('\n').append(note()).append('\n').toString();
  }

  private String note() {
    return "Intervals of success and of differences are 95 %, over seeds and tasks; of ratios by "
        + study.bootstrap()
        + " resamplings of seeds. Rollouts and seconds have stage 1 in them. Seconds with E executors of"
        + " one core are computed from the rates that were measured here: stage 1 and the rollouts of"
        + " an update are shared among them, updates are the driver's.";
  }

  private String html(List<Table> tables) {
    StringBuilder page = new StringBuilder("<!doctype html><meta charset=\"utf-8\">");
    page.append("<title>").append(Html.escape(name)).append("</title><style>").append(STYLE);
    page.append("</style><h1>Study ").append(Html.escape(name)).append("</h1>\n<p>");
    int arm = 0;
    for (String each : results.arms().keySet()) {
      page.append("<span class=\"arm\" style=\"color:")
          .append(CurveChart.colour(arm++))
          .append("\">")
          .append(Html.escape(each))
          .append("</span> ");
    }
    page.append("</p>\n");
    axes().forEach((label, axis) -> page.append(CurveChart.svg(results.arms(), axis, label)));
    page.append(
        "<p>Success on validation tasks, greedy; bands from the lowest to the highest seed.</p>");
    for (Table table : tables) {
      page.append("<h2>").append(Html.escape(table.title)).append("</h2>\n<table><tr>");
      table.head.forEach(cell -> page.append("<th>").append(Html.escape(cell)).append("</th>"));
      page.append("</tr>\n");
      for (List<String> row : table.rows) {
        page.append("<tr>");
        row.forEach(cell -> page.append("<td>").append(Html.escape(cell)).append("</td>"));
        page.append("</tr>\n");
      }
      page.append("</table>\n");
    }
    return page.append("<p>").append(Html.escape(note())).append("</p>\n").toString();
  }
}
