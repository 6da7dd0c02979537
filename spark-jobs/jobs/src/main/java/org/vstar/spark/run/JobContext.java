package org.vstar.spark.run;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.sql.SparkSession;
import org.slf4j.bridge.SLF4JBridgeHandler;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Split;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.spark.console.Console;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Tables;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * What all commands have in common: a config, a place for results, a Spark session, an exit code.
 */
public final class JobContext {

  /** The last words of each job's help. */
  public static final String SPARK_OPTIONS =
      "Options of spark-submit (--master, --jars, --conf, --executor-memory, …) go to Spark.";

  private static final String LISTENERS = "spark.extraListeners";
  private static final String VERIFY_CHECKSUMS = "parquet.page.verify-checksum.enabled";

  private static final int USAGE_WIDTH = 100;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "config file, for example conf/webshop-lite.yaml: a path or a URI")
  private String config;

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

  private Path local;
  private RunConfig read;
  private RunFolder folder;

  /** The config, read on first use and when a key has been set. */
  public RunConfig config() {
    if (read == null) {
      read = read(file(), overrides);
    }
    return read;
  }

  private static RunConfig read(Path file, Map<String, String> overrides) {
    ConfigFile kinds = new ConfigFile().with(EnvironmentKind.all()).with(ObjectiveKind.all());
    return kinds.read(file, overrides, RunConfig.class);
  }

  /**
   * Reads the config of jobs that another starts.
   *
   * @param config a path or a URI
   * @param overrides keys that are set on the command line
   */
  public static RunConfig read(String config, Map<String, String> overrides) {
    return read(RemoteConfig.local(config, overrides.values()), overrides);
  }

  /** The config's file on this machine. */
  private Path file() {
    if (local == null) {
      local = RemoteConfig.local(config, overrides.values());
    }
    return local;
  }

  /** The config's file on this machine, copied there if it is on a store. */
  public Path configFile() {
    return file();
  }

  /** Keys of the config that the command line sets, with their values. */
  public Map<String, String> settings() {
    return Collections.unmodifiableMap(overrides);
  }

  /** Sets a key of the config: what an option of a command stands for. */
  public void override(String key, Object value) {
    overrides.put(key, value.toString());
    read = null;
  }

  /** Whether the command line sets a key of the config. */
  public boolean overrides(String key) {
    return overrides.containsKey(key);
  }

  /**
   * The environment and what comes with it, opened anew.
   *
   * @throws InvalidInputException if a split has no tasks
   */
  public Opened open() {
    Opened opened = config().environment().open(resolveFromConfig(""), config().seed());
    for (Split split : Split.values()) {
      if (opened.environment().tasks(split).isEmpty()) {
        throw new InvalidInputException(
            "environment '" + opened.environment().name() + "' has no " + split.word() + " tasks");
      }
    }
    return opened;
  }

  /** The environment alone, opened anew. */
  public Environment environment() {
    return open().environment();
  }

  /**
   * A policy that lies in a folder of its own, in Hugging Face's layout, run as the config says.
   *
   * @param policy a path of this machine, or a URI
   */
  public StoredPolicy policy(String policy) {
    String place =
        Store.isUri(policy)
            ? policy.replaceAll("/+\\z", "")
            : Path.of(policy).toAbsolutePath().normalize().toString();
    int name = place.lastIndexOf('/') + 1;
    return StoredPolicy.of(
        Store.open(place.substring(0, name)),
        place.substring(name),
        config().compute().engine(),
        config().samplingOptions());
  }

  /** A path that the config names: relative ones start from its folder. */
  public Path resolveFromConfig(String path) {
    return file().toAbsolutePath().getParent().resolve(path);
  }

  /**
   * The run's folder.
   *
   * @throws InvalidInputException if it cannot be written to, or its times are damaged
   */
  public RunFolder folder() {
    if (folder == null) {
      String place = out != null ? out : "out/" + config().name();
      if (new SparkConf().get("spark.submit.deployMode", "client").equals("cluster")) {
        requireReachable(place);
      }
      Store store = Store.open(place);
      store.requireWritable();
      folder = new RunFolder(store);
      folder.stageTimes();
    }
    return folder;
  }

  /**
   * Refuses a place for results that is relative to a cluster's driver: nobody finds what a driver
   * leaves in the working folder that the cluster gave it.
   *
   * @param place what {@code --out} names
   */
  public static void requireReachable(String place) {
    if (!Store.isUri(place) && !Path.of(place).isAbsolute()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "--out is '%s', and the driver runs on the cluster (--deploy-mode cluster): expected a"
                  + " URI, or a path from the root of a disk that all machines share",
              place));
    }
  }

  /** What a job does while it alone may write a part of the run. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws IOException;
  }

  /**
   * Does work with the lock of a part of the run.
   *
   * @param part the folder of what is written
   * @throws InvalidInputException naming the holder, if another job has the lock
   */
  public void locked(String part, Work work) throws IOException {
    locked(folder(), part, spec.qualifiedName(), work);
  }

  /**
   * Does work with the lock of a part of a run.
   *
   * @param holder named to others that ask for the lock
   * @throws InvalidInputException naming the holder, if another job has the lock
   */
  public static void locked(RunFolder folder, String part, String holder, Work work)
      throws IOException {
    RunStore.Lock lock = folder.store().lock(part, holder, Duration.ZERO);
    try {
      folder.store().deletePartial(part);
      work.run();
    } finally {
      lock.close();
    }
  }

  /** The tables of a run. */
  public static Tables tables(SparkSession spark, RunFolder folder) {
    return new Tables(spark, folder.store());
  }

  /** The session; {@code spark-submit} says where it runs. */
  public static SparkSession session(String name) {
    SparkSession.Builder builder = SparkSession.builder().appName(name);
    if (SparkSession.getDefaultSession().isEmpty()) {
      // Spark's Kryo cannot write Java's records, of which what travels to executors is made.
      builder.config("spark.serializer", JavaSerializer.class.getName());
      String others = new SparkConf().get(LISTENERS, "");
      String own = LostExecutors.class.getName();
      builder.config(LISTENERS, others.isEmpty() ? own : others + "," + own);
    }
    SparkSession spark = builder.getOrCreate();
    // A flipped bit on a disk must not become another return; checksums do not cover the statistics
    // that filters would be answered from.
    spark.sparkContext().hadoopConfiguration().setBoolean(VERIFY_CHECKSUMS, true);
    spark.conf().set("spark.sql.parquet.filterPushdown", false);
    return spark;
  }

  /** Runs a picocli command, stops Spark and, unless all went well, exits with the code. */
  public static void main(Callable<Integer> command, String[] args) {
    EndMark.set();
    // Lucene's warnings go where those of the other libraries do.
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
    int code = run(command, Console.err(), args);
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
   * Runs a picocli command. Whatever goes wrong is said in one line.
   *
   * @return the exit code
   */
  public static int run(Callable<Integer> command, PrintStream errors, String... args) {
    CommandLine line =
        commandLine(command)
            .setExecutionExceptionHandler((e, own, parsed) -> end(ErrorLine.of(e), errors))
            .setParameterExceptionHandler((e, parsed) -> end(ErrorLine.misunderstood(e), errors));
    line.setErr(new PrintWriter(errors, true));
    try {
      return line.execute(args);
    } catch (Error e) {
      // Memory, classes, and Hadoop's way to say that a disk is full.
      return end(ErrorLine.of(e), errors);
    }
  }

  /** A command under the name that it has in {@code submit}. */
  public static CommandLine commandLine(Object command) {
    CommandLine line =
        new CommandLine(command)
            .setUsageHelpWidth(USAGE_WIDTH)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExpandAtFiles(false);
    String version = JobContext.class.getPackage().getImplementationVersion();
    line.getCommandSpec().version("Vstar " + (version == null ? "from its sources" : version));
    return line.setCommandName("submit/" + line.getCommandName());
  }

  private static int end(ErrorLine line, PrintStream errors) {
    errors.println(line.text());
    return line.exitCode();
  }
}
