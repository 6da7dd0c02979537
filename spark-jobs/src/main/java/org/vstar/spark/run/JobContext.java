package org.vstar.spark.run;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.SparkException;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Split;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.Tables;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * What all commands have in common: a config, a place for results, a Spark session, an exit code.
 */
public final class JobContext {

  private static final int BAD_INPUT = 2;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "config file, for example conf/webshop-lite.yaml")
  private Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "overrides one key of the config, for example vstar.beta1=0.3; repeatable")
  private Map<String, String> overrides = new LinkedHashMap<>();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "where results go and earlier jobs' results are found (default: out/NAME)")
  private String out;

  private RunConfig read;

  /** The config, read on first use. */
  public RunConfig config() {
    if (read == null) {
      ConfigFile file = new ConfigFile().with(EnvironmentKind.all()).with(ObjectiveKind.all());
      read = file.read(config, overrides, RunConfig.class);
    }
    return read;
  }

  /**
   * The environment, opened anew.
   *
   * @throws InvalidInputException if a split has no tasks
   */
  public Environment environment() {
    Environment environment = config().environment().open(resolveFromConfig(""));
    for (Split split : Split.values()) {
      if (environment.tasks(split).isEmpty()) {
        throw new InvalidInputException(
            "environment '" + environment.name() + "' has no " + split.word() + " tasks");
      }
    }
    return environment;
  }

  /** A path that the config names: relative ones start from its folder. */
  public Path resolveFromConfig(String path) {
    return config.toAbsolutePath().getParent().resolve(path);
  }

  /** The run's folder. */
  public RunFolder folder() {
    return new RunFolder(HadoopRunStore.open(out != null ? out : "out/" + config().name()));
  }

  /** The tables of a run. */
  public static Tables tables(SparkSession spark, RunFolder folder) {
    return new Tables(spark, folder.tables());
  }

  /** The session; {@code spark-submit} says where it runs. */
  public static SparkSession session(String name) {
    return SparkSession.builder().appName(name).getOrCreate();
  }

  /** Runs a picocli command, stops Spark and, unless all went well, exits with the code. */
  public static void main(Callable<Integer> command, String[] args) {
    int code = run(command, System.err, args);
    SparkSession.getDefaultSession()
        .foreach(
            session -> {
              session.stop();
              return scala.runtime.BoxedUnit.UNIT;
            });
    if (code != 0) {
      System.exit(code);
    }
  }

  /**
   * Runs a picocli command. What is wrong with the input is said in one line; anything else is
   * shown with its trace.
   *
   * @return the exit code
   */
  public static int run(Callable<Integer> command, PrintStream errors, String... args) {
    CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    line.setErr(new PrintWriter(errors, true));
    line.setExecutionExceptionHandler(
        (e, commandLine, parsed) -> {
          InvalidInputException input = invalidInput(e);
          if (input == null) {
            throw e;
          }
          errors.println("error: " + input.getMessage());
          return BAD_INPUT;
        });
    return line.execute(args);
  }

  /** An input error may have come back from an executor, wrapped. */
  private static InvalidInputException invalidInput(Throwable thrown) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (e instanceof InvalidInputException input) {
        return input;
      }
      if (!(e instanceof SparkException || e instanceof RuntimeException)) {
        return null;
      }
    }
    return null;
  }
}
