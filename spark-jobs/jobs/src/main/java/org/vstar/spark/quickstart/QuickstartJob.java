package org.vstar.spark.quickstart;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.console.Console;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.store.Store;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Reference policy, V*, training with both objectives, where the config has both, and the final
 * evaluation. Each is the job that its own command runs, with the same arguments; in one
 * application, Spark is started and Java compiled once.
 */
@Command(
    name = "quickstart",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = {
      "All of it in one application: reference policy, V*, training with the config's objectives",
      "(regression, policy-gradient), the final evaluation, report."
    })
public final class QuickstartJob implements Callable<Integer> {

  /** The objectives that are trained with, where the config has them. */
  private static final List<String> OBJECTIVES = List.of("regression", "policy-gradient");

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "config file: a path or a URI (default: conf/webshop-lite.yaml of this project)")
  private String config = "conf/webshop-lite.yaml";

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "overrides one key of the config, for example seed=8; repeatable")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "where results go (default: out/quickstart-DATE)")
  private String out =
      "out/quickstart-"
          + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).format(LocalDateTime.now());

  @Option(names = "--resume", description = "go on with what is in --out already")
  private boolean resume;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new QuickstartJob(), args);
  }

  @Override
  public Integer call() {
    if (!resume && !Store.isUri(out) && Files.exists(Path.of(out))) {
      throw new InvalidInputException(
          out + " is there already: use another --out, or --resume to go on with it");
    }
    long start = System.nanoTime();
    Console.out().println("results go to " + out);
    int code = stages();
    if (code == 0) {
      Console.answer("quickstart took %.0f s", (System.nanoTime() - start) / 1e9);
    }
    return code;
  }

  /** The objectives that a config's policy is trained with, one after the other. */
  static List<String> objectives(RunConfig config) {
    List<String> known =
        OBJECTIVES.stream().filter(name -> config.objectives().containsKey(name)).toList();
    return known.isEmpty() ? List.of(config.train().target().objective()) : known;
  }

  /** Runs what is left to be done; gives the exit code of the first job that fails. */
  private int stages() {
    List<String> on = resume ? List.of("--resume") : List.of();
    int code = run(new WarmStartJob(), on);
    if (code == 0) {
      code = run(new VStarJob(), List.of());
    }
    for (String objective : objectives(JobContext.read(config, settings))) {
      if (code == 0) {
        List<String> options = new ArrayList<>(on);
        options.addAll(List.of("--set", "train.objective=" + objective));
        code = run(new TrainJob(), options);
      }
    }
    return code == 0 ? run(new EvaluateJob(), List.of("--final")) : code;
  }

  private int run(Callable<Integer> job, List<String> options) {
    List<String> arguments = new ArrayList<>(List.of("--config", config, "--out", out));
    settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    arguments.addAll(options);
    return JobContext.run(job, Console.err(), arguments.toArray(String[]::new));
  }
}
