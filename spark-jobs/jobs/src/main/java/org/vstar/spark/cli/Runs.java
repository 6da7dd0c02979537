package org.vstar.spark.cli;

import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunSummary;
import org.vstar.spark.run.RunsFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.Store.Stored;
import org.vstar.spark.table.Orphans;
import org.vstar.spark.table.Tables;
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

  private static final Pattern AGE = Pattern.compile("(\\d{1,6})([mhd])");

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
      Console.out().println(writer.writeValueAsString(runs));
    } else {
      print(runs);
    }
    return 0;
  }

  /** Deletes what killed jobs, second attempts and merges have left in the tables of all runs. */
  @Command(
      name = "gc",
      description = {
        "Deletes files of tables that nobody needs.",
        "They are leftovers of killed jobs, and files of units whose samples "
            + "have been merged into larger files. Versions stay readable, except "
            + "those of samples from before a merge."
      })
  int gc(
      @Option(
              names = "--root",
              paramLabel = "DIR",
              defaultValue = "out",
              description = "the folder that has the runs (default: ${DEFAULT-VALUE})")
          String folder,
      @Option(
              names = "--older-than",
              paramLabel = "AGE",
              defaultValue = "7d",
              description = {
                "how long they have been of no use, for example 90m, 12h or 7d: longer than any job"
                    + " takes",
                "(default: ${DEFAULT-VALUE})"
              })
          String age,
      @Option(names = "--dry-run", description = "only say what would be deleted") boolean dry)
      throws IOException {
    Instant moment = Instant.now().minus(age(age));
    RunsFolder all = RunsFolder.open(folder);
    for (String run : all.names()) {
      Store store = all.run(run);
      try {
        if (dry) {
          say(run, new Orphans(store).before(moment), " would be deleted");
        } else {
          collect(run, store, moment);
        }
      } catch (InvalidInputException e) {
        // Its tables are being written, or are damaged: the others are not left for that.
        Console.answer("%s: left as it is: %s", run, e.getMessage());
      }
    }
    return 0;
  }

  private static void collect(String run, Store store, Instant moment) throws IOException {
    RunStore.Lock lock = store.lock(Tables.FOLDER, "submit/runs gc", Duration.ZERO);
    try {
      List<Stored> orphans = new Orphans(store).before(moment);
      for (Stored file : orphans) {
        store.delete(file.name());
      }
      say(run, orphans, " deleted");
    } finally {
      lock.close();
    }
  }

  private static void say(String run, List<Stored> orphans, String what) {
    Console.answer(
        "%s: %d files, %d bytes%s",
        run, orphans.size(), orphans.stream().mapToLong(Stored::bytes).sum(), what);
  }

  private static Duration age(String text) {
    Matcher age = AGE.matcher(text);
    if (!age.matches()) {
      throw new InvalidInputException(
          "--older-than is '" + text + "', expected minutes, hours or days: 90m, 12h or 7d");
    }
    long count = Long.parseLong(age.group(1));
    return switch (age.group(2)) {
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
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
        cells.add(String.format(Locale.ROOT, "%-" + widths[i] + "s", line.get(i)));
      }
      Console.out().println(cells.stream().collect(Collectors.joining("  ")).stripTrailing());
    }
  }
}
