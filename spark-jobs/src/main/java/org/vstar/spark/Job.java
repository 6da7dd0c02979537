package org.vstar.spark;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.spark.SparkException;
import org.apache.spark.sql.SparkSession;
import org.vstar.env.ConfigFile;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.spark.vstar.Tables;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** What all jobs have in common: a config, a place for results, a Spark session, an exit code. */
public final class Job {

  private static final int BAD_INPUT = 2;

  /** Object stores, and what Spark would take for a pattern. */
  private static final Pattern NOT_A_FOLDER = Pattern.compile("^[A-Za-z0-9+.-]+://|[\\[\\]{}*?]");

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
      read = new ConfigFile().read(config, overrides, RunConfig.class);
    }
    return read;
  }

  public Environment environment() {
    return config().environment().open(beside(""));
  }

  /** A path that the config names: relative ones start from its folder. */
  public Path beside(String path) {
    return config.toAbsolutePath().getParent().resolve(path);
  }

  /** The run's folder. */
  public RunFolder folder() {
    if (out != null && NOT_A_FOLDER.matcher(out).find()) {
      throw new InputError(
          "--out is '"
              + out
              + "', expected a folder that driver and executors both see, without any of []{}*?");
    }
    return new RunFolder(out != null ? Path.of(out) : Path.of("out", config().name()));
  }

  /** The tables of a run. */
  public static Tables tables(SparkSession spark, RunFolder folder) {
    return new Tables(
        spark, new org.apache.hadoop.fs.Path(folder.tables().toAbsolutePath().toUri()));
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
  static int run(Callable<Integer> command, PrintStream errors, String... args) {
    CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    line.setErr(new PrintWriter(errors, true));
    line.setExecutionExceptionHandler(
        (e, commandLine, parsed) -> {
          InputError input = inputError(e);
          if (input == null) {
            throw e;
          }
          errors.println("error: " + input.getMessage());
          return BAD_INPUT;
        });
    return line.execute(args);
  }

  /** An input error may have come back from an executor, wrapped. */
  private static InputError inputError(Throwable thrown) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (e instanceof InputError input) {
        return input;
      }
      if (!(e instanceof SparkException || e instanceof RuntimeException)) {
        return null;
      }
    }
    return null;
  }
}
