package org.vstar.spark.evaluate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The files of an evaluation that programs read, and the table that a person reads first. */
final class ResultFiles {

  private ResultFiles() {}

  static void write(Path directory, Evaluation evaluation) throws IOException {
    List<Method> methods = evaluation.methods();
    List<EpisodeRow> rows = evaluation.rows();
    ObjectMapper json = new ObjectMapper();
    Files.createDirectories(directory);
    StringBuilder episodes = new StringBuilder();
    for (EpisodeRow row : rows) {
      episodes.append(json.writeValueAsString(row)).append('\n');
    }
    Files.writeString(directory.resolve("episodes.jsonl"), episodes);
    json.writerWithDefaultPrettyPrinter()
        .writeValue(directory.resolve("evaluation_results.json").toFile(), evaluation);
    Files.writeString(directory.resolve("summary.csv"), summary(methods));
    Files.writeString(directory.resolve("failure_analysis.md"), failures(methods, rows));
  }

  private static String summary(List<Method> methods) {
    StringBuilder csv =
        new StringBuilder(
            "method,success_rate,avg_reward,avg_steps,success_low,success_high,reward_low,"
                + "reward_high,episodes\n");
    for (Method m : methods) {
      Score s = m.all();
      csv.append(
          String.format(
              Locale.ROOT,
              "%s,%.4f,%.4f,%.3f,%.4f,%.4f,%.4f,%.4f,%d%n",
              m.label(),
              s.successRate(),
              s.avgReward(),
              s.avgSteps(),
              s.successInterval().low(),
              s.successInterval().high(),
              s.rewardInterval().low(),
              s.rewardInterval().high(),
              s.episodes()));
    }
    return csv.toString();
  }

  /** Every failure is counted; of each kind and method one episode is shown whole. */
  private static String failures(List<Method> methods, List<EpisodeRow> rows) {
    StringBuilder md = new StringBuilder("# Failures on the test tasks\n");
    for (Method m : methods) {
      long failed = m.all().episodes() - (long) m.all().successes();
      md.append(
          String.format("%n## %s: %d of %d episodes%n", m.label(), failed, m.all().episodes()));
      md.append(ended(m));
      m.failures()
          .forEach(
              (failure, count) -> {
                md.append(
                    String.format(
                        "%n### %s: %d%n%n%s%n", failure, count, Failure.meaning(failure)));
                rows.stream()
                    .filter(r -> r.method().equals(m.method()) && r.mode().equals(m.mode()))
                    .filter(r -> failure.equals(r.failure()))
                    .findFirst()
                    .ifPresent(r -> md.append(transcript(r)));
              });
    }
    return md.toString();
  }

  /** How many episodes came to no end, and what the rewards of the others were made of. */
  private static String ended(Method m) {
    long unended =
        m.failures().entrySet().stream()
            .filter(e -> Failure.unended(e.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    StringBuilder text = new StringBuilder(String.format("%nNever came to an end: %d.%n", unended));
    if (!m.rewardParts().isEmpty()) {
      text.append("Mean parts of the reward of those that did:");
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
  static String table(Evaluation evaluation, Map<String, Double> stages) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "%n%-26s %9s  %-16s %8s %7s %9s%n",
            "method", "success", "95 % interval", "return", "steps", "episodes"));
    for (Method m : evaluation.methods()) {
      Score s = m.all();
      text.append(
          String.format(
              Locale.ROOT,
              "%-26s %7.1f %%  %4.1f – %5.1f %%   %8.3f %7.2f %9d%n",
              m.label(),
              100 * s.successRate(),
              100 * s.successInterval().low(),
              100 * s.successInterval().high(),
              s.avgReward(),
              s.avgSteps(),
              s.episodes()));
    }
    text.append('\n');
    evaluation.remarks().forEach(line -> text.append(line).append('\n'));
    text.append(String.format("%n%-26s %9s%n", "stage", "seconds"));
    stages.forEach((k, v) -> text.append(String.format(Locale.ROOT, "%-26s %9.1f%n", k, v)));
    return text.append('\n').toString();
  }
}
