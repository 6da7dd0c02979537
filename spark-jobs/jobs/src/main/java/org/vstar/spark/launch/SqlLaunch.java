package org.vstar.spark.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.cli.Query;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.table.Tables;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** How Spark's SQL shell is started over runs. */
@Command(
    name = "sql",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = {
      "Spark's SQL shell over runs. The catalog runs has a namespace for each run of a folder, and"
          + " each run the tables tasks, samples, vstar, headroom. Functions such as"
          + " vstar(return, beta1) are there too.",
      "Without -e and -f it asks for queries."
    })
final class SqlLaunch {

  private static final String STUDY = Tables.FOLDER + "/" + Tables.STUDY_RUNS;
  private static final String DEFAULT_RUN = "out/webshop-lite";
  private static final List<String> TABLES = List.of("tasks", "samples", "vstar");

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "the run that the session begins in (default: " + DEFAULT_RUN + ")")
  private String out;

  @Option(
      names = "--root",
      paramLabel = "DIR",
      description = "the folder that has the runs; the session begins in none")
  private String root;

  @Option(names = "-e", paramLabel = "SQL", description = "queries, separated by semicolons")
  private String query;

  @Option(names = "-f", paramLabel = "FILE", description = "a file of queries")
  private Path file;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "csv or json: answers one query for another program")
  private Output output;

  @Option(
      names = {"-i", "--database", "-d", "--define", "--hivevar", "--hiveconf"},
      paramLabel = "VALUE",
      hidden = true)
  private List<String> passed = new ArrayList<>();

  @Option(
      names = {"-S", "--silent"},
      hidden = true)
  private boolean silent;

  private enum Output {
    CSV,
    JSON
  }

  private final Installation installation;
  private final Path scratch;

  SqlLaunch(Installation installation, Path scratch) {
    this.installation = installation;
    this.scratch = scratch;
  }

  /** The command as a person types it. */
  CommandLine commandLine() {
    return SparkOptions.commandLine(this);
  }

  /** What is to be run. */
  Plan plan(List<String> arguments) {
    ParseResult parsed = commandLine().parseArgs(arguments.toArray(String[]::new));
    if (file != null && !Files.isRegularFile(file)) {
      throw new InvalidInputException("-f: " + file + " does not exist");
    }
    if (out != null && root != null) {
      throw new InvalidInputException(
          "--out names a run, and --root the folder that has it: give one of them");
    }
    SparkOptions spark = SparkOptions.of(parsed);
    Submission submission = Submission.of(installation, spark);
    List<String> words = new ArrayList<>(List.of(submission.script()));
    if (root != null) {
      words.addAll(
          RunsCatalog.options(
              submission, RunsCatalog.place("--root", root), Optional.empty(), scratch));
    } else {
      String run = run();
      int name = run.lastIndexOf('/') + 1;
      words.addAll(
          RunsCatalog.options(
              submission,
              run.substring(0, Math.max(name - 1, 1)),
              Optional.of(run.substring(name)),
              scratch));
    }
    words.addAll(spark.words(List.of(SparkOptions.JARS)));
    words.addAll(shell(parsed));
    return new Plan.Run(submission.environment(), words);
  }

  private List<String> shell(ParseResult parsed) {
    List<String> words = new ArrayList<>();
    if (output != null) {
      words.addAll(List.of("--class", Query.class.getName(), "spark-internal"));
      words.addAll(List.of("--output", output.name().toLowerCase(Locale.ROOT)));
    } else {
      words.addAll(Submission.conf("spark.sql.cli.print.header", "true"));
      words.addAll(
          List.of(
              "--class",
              "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver",
              "spark-internal"));
    }
    if (query != null) {
      words.addAll(List.of("-e", query));
    }
    if (silent) {
      words.add("-S");
    }
    if (file != null) {
      words.addAll(List.of("-f", file.toString()));
    }
    // As they were typed: one name of the list stands for another thing than the next.
    List<String> typed = parsed.originalArgs();
    for (int i = 0; i < typed.size(); i++) {
      if (typed.get(i).matches("-i|--database|-d|--define|--hivevar|--hiveconf")) {
        words.addAll(typed.subList(i, Math.min(i + 2, typed.size())));
      }
    }
    return words;
  }

  private String run() {
    String named = out == null ? DEFAULT_RUN : out;
    if (!Store.isUri(named) && !Files.isDirectory(Path.of(named))) {
      throw noTables(named, "there is no such folder");
    }
    String run = RunsCatalog.place("--out", named);
    // A study has tables of its own.
    if (!Store.isUri(run) && !Files.isDirectory(Path.of(run, TableLog.internals(STUDY)))) {
      for (String table : TABLES) {
        if (!Files.isDirectory(Path.of(run, Tables.FOLDER, table))) {
          throw noTables(named, table + " is missing");
        }
      }
    }
    return run;
  }

  private static InvalidInputException noTables(String run, String why) {
    return new InvalidInputException(
        "no V* tables in " + run + ", " + why + ": run submit/vstar first, or name its --out");
  }
}
