package org.vstar.spark.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Split;
import org.vstar.spark.console.Console;
import org.vstar.spark.report.ResultFiles;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.Evaluation;
import org.vstar.spark.score.HeadroomTaken;
import org.vstar.spark.score.Interval;
import org.vstar.spark.score.MethodSummary;
import org.vstar.spark.score.Replication;
import org.vstar.spark.score.SeedMean;
import org.vstar.spark.store.Store;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares runs of one recipe, each with a seed of its own, by what their evaluations left. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Puts evaluated runs side by side that differ in their seed: each method's mean, every run's"
          + " rate, and an interval over seeds and tasks; and by how much methods differ, paired by"
          + " run and task."
    })
public final class Compare implements Callable<Integer> {

  private final PrintStream out;

  @Parameters(
      arity = "1..*",
      paramLabel = "RUN",
      description =
          "a run's folder, what --out named; a method that not all have is shown too; its"
              + " episodes.jsonl may be packed with gzip")
  private List<String> folders;

  @Option(
      names = "--against",
      paramLabel = "METHOD",
      description =
          "what the other methods are held against, for example scan; repeatable (default:"
              + " reference, if there is one)")
  private List<String> against;

  @Option(names = "--final", description = "of the test tasks, not of the validation tasks")
  private boolean last;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  /** The command, which answers on a stream. */
  public Compare(PrintStream out) {
    this.out = out;
  }

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Compare(Console.out()), args);
  }

  @Override
  public Integer call() throws IOException {
    Map<String, List<EpisodeRow>> runs = new LinkedHashMap<>();
    for (String folder : folders) {
      if (runs.put(folder, episodes(folder)) != null) {
        throw new InvalidInputException(folder + " is there twice: name each run once");
      }
    }
    List<String> others = against == null ? reference(runs) : against;
    Replication found =
        last ? Replication.of(runs, others, chosenMode()) : Replication.of(runs, others);
    out.print(
        json
            ? Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(found) + "\n"
            : table(found));
    return 0;
  }

  /** How the reference is best on validation tasks; null where not all runs were played on them. */
  private DecodingMode chosenMode() throws IOException {
    Map<String, List<EpisodeRow>> validation = new LinkedHashMap<>();
    for (String folder : folders) {
      Optional<List<EpisodeRow>> played = find(folder, Split.VALIDATION);
      if (played.isEmpty()) {
        return null;
      }
      validation.put(folder, played.get());
    }
    return Replication.bestReference(validation);
  }

  /** Policies that were given to an evaluation have no reference beside them. */
  private static List<String> reference(Map<String, List<EpisodeRow>> runs) {
    boolean played =
        runs.values().stream()
            .flatMap(List::stream)
            .anyMatch(row -> row.method().equals(Evaluation.REFERENCE));
    return played ? List.of(Evaluation.REFERENCE) : List.of();
  }

  private List<EpisodeRow> episodes(String folder) throws IOException {
    Split split = last ? Split.TEST : Split.VALIDATION;
    Optional<List<EpisodeRow>> found = find(folder, split);
    return found.orElseThrow(
        () ->
            new InvalidInputException(
                Store.open(folder).location(file(split))
                    + " is not there: run submit/evaluate with --out "
                    + folder
                    + (last ? " --final" : "")
                    + " first"));
  }

  private static String file(Split split) {
    return RunFolder.evaluation(split) + "/episodes.jsonl";
  }

  private static Optional<List<EpisodeRow>> find(String folder, Split split) throws IOException {
    Store store = Store.open(folder);
    String name = file(split);
    boolean packed = !store.exists(name) && store.exists(name + ".gz");
    if (!packed && !store.exists(name)) {
      return Optional.empty();
    }
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                packed ? new GZIPInputStream(store.read(name + ".gz")) : store.read(name),
                StandardCharsets.UTF_8))) {
      return Optional.of(
          EpisodeRow.read(store.location(name), lines.lines().toList()).stream()
              .map(EpisodeRow::withoutTurns)
              .toList());
    }
  }

  private static String table(Replication found) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%n%-28s %9s  %-16s %8s %7s %7s %9s  %s%n",
            "method",
            "success",
            "95 % interval",
            "return",
            "steps",
            "tokens",
            "episodes",
            "runs"));
    for (Replication.Method method : found.methods()) {
      MethodSummary all = method.all();
      text.append(
          String.format(
              Locale.ROOT,
              "%-28s %7.1f %%  %4.1f – %5.1f %%   %8.3f %7.2f %7s %9d  %s%n",
              all.label(),
              100 * method.success().mean(),
              100 * method.success().interval().low(),
              100 * method.success().interval().high(),
              method.avgReward().mean(),
              all.all().avgSteps(),
              all.agentTokens() == null
                  ? ""
                  : String.format(Locale.ROOT, "%.0f", all.agentTokens()),
              all.all().episodes(),
              eachRun(method.success())));
    }
    text.append('\n')
        .append(ResultFiles.parts(found.methods().stream().map(Replication.Method::all).toList()));
    found.differences().forEach(d -> text.append(words(d)).append('\n'));
    found.headroom().forEach((method, taken) -> text.append(words(method, taken)).append('\n'));
    return text.append(
            "Intervals are 95 %, over runs and over what tasks want; of one run, over the latter.\n")
        .toString();
  }

  private static String eachRun(SeedMean success) {
    return success.eachRun().values().stream()
        .map(rate -> String.format(Locale.ROOT, "%.1f", 100 * rate))
        .collect(Collectors.joining(" "));
  }

  /** The mean over runs; the share is that of the means, since a run's own room may be nothing. */
  private static String words(String method, List<HeadroomTaken> taken) {
    double room = taken.stream().mapToDouble(t -> t.passAtK() - t.reference()).average().orElse(0);
    double gain = taken.stream().mapToDouble(t -> t.success() - t.reference()).average().orElse(0);
    return String.format(
        Locale.ROOT,
        "%s, sampled: takes %+.1f of the %.1f points from its reference to pass@%d (%.0f %%); each run"
            + " %s.",
        method,
        100 * gain,
        100 * room,
        taken.get(0).k(),
        room > 0 ? 100 * gain / room : 0,
        taken.stream()
            .map(
                t ->
                    String.format(
                        Locale.ROOT,
                        "%+.1f of %.1f",
                        100 * (t.success() - t.reference()),
                        100 * (t.passAtK() - t.reference())))
            .collect(Collectors.joining(", ")));
  }

  private static String words(Replication.Difference difference) {
    Interval interval = difference.success().interval();
    return String.format(
        Locale.ROOT,
        "%s, %s: %+.1f points of success against %s%s (%.1f – %.1f); each run %s.",
        difference.method(),
        difference.mode(),
        100 * difference.success().mean(),
        difference.against(),
        !difference.against().equals(Evaluation.REFERENCE)
                || difference.againstMode().equals(difference.mode())
            ? ""
            : " at its best, " + difference.againstMode(),
        100 * interval.low(),
        100 * interval.high(),
        difference.success().eachRun().values().stream()
            .map(gain -> String.format(Locale.ROOT, "%+.1f", 100 * gain))
            .collect(Collectors.joining(" ")));
  }
}
