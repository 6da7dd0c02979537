package org.vstar.spark.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.Evaluation;
import org.vstar.spark.score.Failure;
import org.vstar.spark.score.Interval;
import org.vstar.spark.score.MethodSummary;
import org.vstar.spark.score.Score;

/** The files of an evaluation that programs read, and the table that a person reads first. */
public final class ResultFiles {

  private ResultFiles() {}

  /** Publishes all files but the page under a folder's name. */
  public static void write(RunStore store, String folder, Evaluation evaluation)
      throws IOException {
    List<MethodSummary> methods = evaluation.methods();
    List<EpisodeRow> rows = evaluation.rows();
    store.publish(
        folder + "/episodes.jsonl",
        out -> {
          for (EpisodeRow row : rows) {
            out.write((row.line() + "\n").getBytes(StandardCharsets.UTF_8));
          }
        });
    byte[] results = Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(evaluation);
    store.publish(folder + "/evaluation_results.json", out -> out.write(results));
    publish(store, folder + "/summary.csv", summary(methods));
    publish(store, folder + "/failure_analysis.md", failures(evaluation.split(), methods, rows));
  }

  static void publish(RunStore store, String name, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    store.publish(name, out -> out.write(bytes));
  }

  private static String summary(List<MethodSummary> methods) {
    StringBuilder csv =
        new StringBuilder(
            "method,success_rate,avg_reward,avg_steps,success_low,success_high,reward_low,"
                + "reward_high,episodes\n");
    for (MethodSummary m : methods) {
      Score s = m.all();
      // Rates have more digits than a table of per cents, which would round them a second time.
      csv.append(
          String.format(
              Locale.ROOT,
              "%s,%.6f,%.4f,%.3f,%.6f,%.6f,%s,%s,%d%n",
              m.label(),
              s.successRate(),
              s.avgReward(),
              s.avgSteps(),
              s.successInterval().low(),
              s.successInterval().high(),
              cell(s, Interval::low),
              cell(s, Interval::high),
              s.episodes()));
    }
    return csv.toString();
  }

  /** An end of the reward's interval; empty where there is none. */
  private static String cell(Score score, ToDoubleFunction<Interval> end) {
    return score.rewardInterval() == null
        ? ""
        : String.format(Locale.ROOT, "%.4f", end.applyAsDouble(score.rewardInterval()));
  }

  /** Every failure is counted; of each kind and method one episode is shown whole. */
  private static String failures(String split, List<MethodSummary> methods, List<EpisodeRow> rows) {
    StringBuilder md = new StringBuilder("# Failures on the " + split + " tasks\n");
    for (MethodSummary m : methods) {
      long failed = m.all().episodes() - (long) m.all().successes();
      md.append(
          String.format(
              Locale.ROOT, "%n## %s: %d of %d episodes%n", m.label(), failed, m.all().episodes()));
      md.append(ended(m));
      m.failures()
          .forEach(
              (failure, count) -> {
                md.append(
                    String.format(
                        Locale.ROOT,
                        "%n### %s: %d%n%n%s%n",
                        failure,
                        count,
                        Failure.meaning(failure)));
                rows.stream()
                    .filter(r -> r.method().equals(m.method()) && r.mode().equals(m.mode()))
                    .filter(r -> failure.equals(r.failure()))
                    .findFirst()
                    .ifPresent(r -> md.append(transcript(r)));
              });
    }
    return md.toString();
  }

  /** How many episodes came to no end, and what last rewards were made of. */
  private static String ended(MethodSummary m) {
    long unended =
        m.failures().entrySet().stream()
            .filter(e -> Failure.unended(e.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    StringBuilder text =
        new StringBuilder(String.format(Locale.ROOT, "%nNever came to an end: %d.%n", unended));
    if (!m.rewardParts().isEmpty()) {
      text.append("Means over the episodes whose last reward has the part:");
      m.rewardParts()
          .forEach((part, mean) -> text.append(String.format(Locale.ROOT, " %s %.3f", part, mean)));
      text.append(".\n");
    }
    return text.toString();
  }

  private static String transcript(EpisodeRow row) {
    StringBuilder text =
        new StringBuilder("\nTask ")
            .append(row.taskId())
            .append(" (" + row.category() + ")\n\n```\n");
    for (EpisodeRow.TurnRow turn : row.turns()) {
      text.append(turn.observation()).append('\n');
      text.append("  think  ").append(turn.thought()).append('\n');
      text.append("  act    ").append(turn.action());
      text.append(String.format(Locale.ROOT, "   [%s, %+.2f]%n", turn.event(), turn.reward()));
    }
    return text.append("```\n").toString();
  }

  /** The result table, what is to be said of the split, and the time that each stage took. */
  public static String table(Evaluation evaluation, Map<String, Double> stages) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%n%s%n%n%-28s %9s  %-16s %8s %7s %7s %9s%n",
            evaluation.title(),
            "method",
            "success",
            "95 % interval",
            "return",
            "steps",
            "tokens",
            "episodes"));
    for (MethodSummary m : evaluation.methods()) {
      Score s = m.all();
      text.append(
          String.format(
              Locale.ROOT,
              "%-28s %7.1f %%  %4.1f – %5.1f %%   %8.3f %7.2f %7s %9d%n",
              m.label(),
              100 * s.successRate(),
              100 * s.successInterval().low(),
              100 * s.successInterval().high(),
              s.avgReward(),
              s.avgSteps(),
              m.agentTokens() == null ? "" : String.format(Locale.ROOT, "%.0f", m.agentTokens()),
              s.episodes()));
    }
    text.append('\n').append(parts(evaluation.methods()));
    evaluation.remarks().forEach(line -> text.append(line).append('\n'));
    text.append(String.format(Locale.ROOT, "%n%-28s %9s%n", "stage", "seconds"));
    stages.forEach((k, v) -> text.append(String.format(Locale.ROOT, "%-28s %9.1f%n", k, v)));
    return text.append('\n').toString();
  }

  /** Means of what last rewards were made of, over those that have the part. */
  public static String parts(List<MethodSummary> methods) {
    List<String> names =
        methods.stream()
            .flatMap(m -> m.rewardParts().keySet().stream())
            .distinct()
            .sorted()
            .toList();
    if (names.isEmpty()) {
      return "";
    }
    StringBuilder text =
        new StringBuilder(String.format(Locale.ROOT, "%-28s", "parts, where there are any"));
    names.forEach(name -> text.append(String.format(Locale.ROOT, " %12s", name)));
    text.append('\n');
    for (MethodSummary m : methods) {
      text.append(String.format(Locale.ROOT, "%-28s", m.label()));
      names.forEach(
          name -> {
            Double mean = m.rewardParts().get(name);
            text.append(String.format(Locale.ROOT, " %12s", mean == null ? "" : format(mean)));
          });
      text.append('\n');
    }
    return text.append('\n').toString();
  }

  private static String format(double mean) {
    return String.format(Locale.ROOT, "%.3f", mean);
  }
}
