package org.vstar.spark.cli;

import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.vstar.common.Json;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunSummary;
import org.vstar.spark.store.RunsFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the runs of a folder. Reads names and footers alone, so that it needs no Spark. */
@Command(
    name = "runs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Lists the runs of a folder: whose tasks, which policy, V*, how far they came.")
public final class Runs implements Callable<Integer> {

  private static final List<String> HEAD =
      List.of("run", "environment", "policy", "beta1", "n", "tasks", "samples", "state", "changed");

  /** A fingerprint's first letters tell policies apart. */
  private static final int FINGERPRINT = 8;

  @Option(
      names = "--root",
      paramLabel = "DIR",
      defaultValue = "out",
      description = "the folder that has the runs (default: ${DEFAULT-VALUE})")
  private String root;

  @Option(names = "--json", description = "as JSON, with fingerprints in full")
  private boolean json;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Runs(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunsFolder folder = RunsFolder.open(root);
    List<RunSummary> runs =
        folder.names().stream().map(name -> RunSummary.of(name, folder.run(name))).toList();
    if (json) {
      ObjectWriter writer = Json.MAPPER.writerWithDefaultPrettyPrinter();
      System.out.println(writer.writeValueAsString(runs));
    } else {
      print(runs);
    }
    return 0;
  }

  private static void print(List<RunSummary> runs) {
    List<List<String>> lines = new ArrayList<>(List.of(HEAD));
    for (RunSummary run : runs) {
      lines.add(
          List.of(
              run.run(),
              run.environment(),
              run.policy().substring(0, Math.min(FINGERPRINT, run.policy().length())),
              run.beta1(),
              run.n(),
              String.valueOf(run.tasks()),
              String.valueOf(run.samples()),
              run.state(),
              run.changed()));
    }
    int[] widths = new int[HEAD.size()];
    for (List<String> line : lines) {
      Arrays.setAll(widths, i -> Math.max(widths[i], line.get(i).length()));
    }
    for (List<String> line : lines) {
      List<String> cells = new ArrayList<>();
      for (int i = 0; i < widths.length; i++) {
        cells.add(String.format("%-" + widths[i] + "s", line.get(i)));
      }
      System.out.println(cells.stream().collect(Collectors.joining("  ")).stripTrailing());
    }
  }
}
