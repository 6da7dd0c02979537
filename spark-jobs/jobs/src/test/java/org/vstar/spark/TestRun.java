package org.vstar.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.commons.io.FileUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.ConfigFile;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Split;
import org.vstar.env.Turn;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;

/** A run of the quickstart's config, made small: an untrained policy and short episodes. */
public final class TestRun {

  /**
   * For processes of seconds: they are over before the second compiler pays, and an eighth of their
   * time would go into checking Spark's classes.
   */
  static final String SHORT =
      "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

  /** Whether this is a Spark 4, which is for Scala 2.13 and has no Deeplearning4j. */
  public static final boolean SPARK4 = "2.13".equals(System.getProperty("scala.binary"));

  public static final Path CONFIG = Path.of("../../conf/webshop-lite.yaml");
  private static final Path WEBSHOP = Path.of("../../conf/webshop-1k.yaml");
  private static final List<String> PROJECT_FILES =
      List.of(
          "conf/webshop-lite.yaml",
          "conf/defaults.yaml",
          "conf/learning.yaml",
          "datasets/webshop-lite/catalogue.jsonl");
  private static final int SMALL_WIDTH = 64;
  private static final List<String> SMALL =
      List.of(
          "model.layers=1",
          "model.width=32",
          "model.heads=2",
          "model.kvHeads=1",
          "model.feedForward=32",
          "model.context=512",
          "sampling.maxTokensPerTurn=14",
          "sampling.constrain=true",
          "vstar.samples=2",
          "vstar.tasksPerUnit=50",
          "vstar.slots=16",
          "train.steps=6",
          "train.tasksPerStep=8",
          "train.evaluateEvery=3",
          "train.evaluateTasks=5",
          "train.checkpointEvery=2",
          "evaluate.samplesPerTask=2",
          "warmStart.imitation=" + (SPARK4 ? "engine" : "dl4j"),
          "warmStart.rounds=1",
          "warmStart.batchesPerRound=2",
          "warmStart.batch=4");

  private final Path config;
  private String configPlace;
  private final Path out;
  private final String place;
  private final Map<String, String> spark = new LinkedHashMap<>();
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  /**
   * Describes a run.
   *
   * @param out its folder
   * @param more settings beyond the small ones, as {@code key=value}
   */
  public TestRun(Path out, String... more) {
    this(CONFIG, out, out.toString(), more);
  }

  /**
   * A run on a store.
   *
   * @param place its folder there
   * @param spark what Spark has to be told of the store
   * @param beside a folder of this machine, for logs
   */
  public static TestRun on(String place, Map<String, String> spark, Path beside, String... more) {
    TestRun run = new TestRun(CONFIG, beside, place, more);
    run.spark.putAll(spark);
    return run;
  }

  /** The same run, by a copy of its config that lies on a store with all that it names. */
  public TestRun configFrom(String folder) throws IOException {
    Path project = CONFIG.toAbsolutePath().normalize().getParent().getParent();
    Store store = Store.open(folder);
    for (String file : PROJECT_FILES) {
      store.publish(file, out -> Files.copy(project.resolve(file), out));
    }
    configPlace = folder + "/" + PROJECT_FILES.get(0);
    return this;
  }

  /** The same run, by the URI of its config, which is found from everywhere. */
  public TestRun configByUri() {
    configPlace = config.toAbsolutePath().normalize().toUri().toString();
    return this;
  }

  private TestRun(Path config, Path out, String place, String... more) {
    this.config = config;
    this.configPlace = config.toString();
    this.out = out;
    this.place = place;
    List<String> all = new ArrayList<>(SMALL);
    all.add("environment." + (config.equals(WEBSHOP) ? "shop." : "") + "maxTurns=4");
    all.addAll(List.of(more));
    set(all);
  }

  private void set(List<String> all) {
    for (String setting : all) {
      int equals = setting.indexOf('=');
      settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
  }

  /** A run that trains an adapter. */
  public static TestRun withLora(Path out, String... more) throws IOException {
    String lora = "train:\n  lora: {rank: 4, alpha: 8, targets: [q_proj, v_proj]}\n";
    return withConfig(out, lora, more);
  }

  /** A run with a config of its own, which is written beside its folder. */
  public static TestRun withConfig(Path out, String yaml, String... more) throws IOException {
    Path catalogue = Path.of("../../datasets/webshop-lite/catalogue.jsonl").toAbsolutePath();
    Path config = out.resolveSibling("own.yaml");
    String place = "include: %s%nenvironment: {catalogue: %s}%n%s";
    Files.writeString(config, String.format(place, CONFIG.toAbsolutePath(), catalogue, yaml));
    return new TestRun(config, out, out.toString(), more);
  }

  /** A run without the settings that are usual here and begin with a prefix. */
  public static TestRun without(String prefix, Path out, String... more) {
    TestRun run = new TestRun(CONFIG, out, out.toString());
    run.settings.keySet().removeIf(key -> key.startsWith(prefix));
    run.set(List.of(more));
    return run;
  }

  /** A run of WebShop's config on the catalogue of our own. */
  public static TestRun webShop(Path out, String... more) {
    String mini = "../datasets/webshop-mini/";
    List<String> settings =
        new ArrayList<>(
            List.of(
                "environment.data.products=" + mini + "items.json",
                "environment.data.attributes=" + mini + "attributes.json",
                "environment.data.human=" + mini + "human.json",
                "environment.training.wordSubstitution=0",
                "environment.training.madeUpValues=0",
                "environment.goals.testGoals=30",
                "environment.goals.validationGoals=20",
                "sampling.maxTokensPerTurn=50",
                "model.qkvBias=false",
                "warmStart.initialization.inductionHeads=false",
                "evaluate.samplesPerTask=1"));
    settings.addAll(List.of(more));
    return new TestRun(WEBSHOP, out, out.toString(), settings.toArray(String[]::new));
  }

  public RunFolder folder() {
    return new RunFolder(Store.open(place));
  }

  public RunConfig config() {
    return new ConfigFile()
        .with(EnvironmentKind.all())
        .with(ObjectiveKind.all())
        .read(config, settings, RunConfig.class);
  }

  public Opened open() {
    return config().environment().open(config.toAbsolutePath().getParent(), config().seed());
  }

  public Environment environment() {
    return open().environment();
  }

  /** Saves an untrained reference policy. */
  public TestRun withReference(long seed) throws IOException {
    Environment environment = environment();
    List<String> text = new ArrayList<>(environment.vocabularyText());
    for (List<Turn> episode : open().demonstrations().batch(1, 50)) {
      episode.forEach(turn -> text.add(turn.answer().thought()));
    }
    EpisodeMarks chat = new EpisodeMarks();
    Tokenizer tokenizer =
        new Tokenizer(WordVocabulary.build(text, AnswerFormat.ANSWER, chat.marks()));
    RunConfig config = config();
    float[] weights =
        new Initialization(0.2, 0.2, false).draw(config.policy().model(), tokenizer.size(), seed);
    Engine engine =
        EngineKind.of(VectorEngine.KIND)
            .open(
                new FlatWeights(config.policy().model(), tokenizer.size(), weights),
                EngineOptions.ONE_THREAD);
    PolicyFiles.write(new Policy(engine, tokenizer, chat), folder().store(), PolicyFiles.REFERENCE);
    return this;
  }

  /**
   * A copy of all that there is of this run, to go on with: a run that is measured once serves many
   * tests.
   */
  public TestRun copy(Path to, String... more) throws IOException {
    FileUtils.copyDirectory(out.toFile(), to.toFile());
    return new TestRun(to, more);
  }

  /** The reference policy. */
  public Policy reference() {
    return folder().loadReference(VectorEngine.KIND, EngineOptions.ONE_THREAD);
  }

  /** The samples, in their order, less how long each took. */
  public List<String> samples(SparkSession session) {
    return JobContext.tables(session, folder())
        .samples()
        .drop("duration_ms")
        .orderBy("task_id", "sample_index")
        .collectAsList()
        .stream()
        .map(Row::json)
        .toList();
  }

  /** The estimates, in the order of their tasks. */
  public List<String> values(SparkSession session) {
    return values(session, folder());
  }

  /** The estimates in a folder that is like a run's, as a refresh has. */
  public static List<String> values(SparkSession session, RunFolder folder) {
    Dataset<Row> values = JobContext.tables(session, folder).vstar();
    return values.orderBy("task_id").collectAsList().stream().map(Row::json).toList();
  }

  /** The fingerprint of the policy that training ended with. */
  public String trained() {
    return trained("regression");
  }

  /** The fingerprint of the policy that training by an objective ended with. */
  public String trained(String objective) {
    return folder()
        .storedTrained(objective, VectorEngine.KIND, EngineOptions.ONE_THREAD)
        .orElseThrow()
        .open()
        .fingerprint();
  }

  /** A file or folder of the run. */
  public Path path(String name) {
    return out.resolve(name);
  }

  /** Arguments of a job of this run. */
  public String[] arguments(String... more) {
    List<String> arguments = new ArrayList<>(List.of("--config", configPlace));
    arguments.addAll(List.of("--out", place));
    settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    arguments.addAll(List.of(more));
    return arguments.toArray(String[]::new);
  }

  /** Runs a job in this process, in the active session. */
  public int run(Callable<Integer> job, String... more) {
    return runPlain(job, arguments(more));
  }

  /** Runs a command that takes no config, in this process. */
  public int runPlain(Callable<Integer> command, String... arguments) {
    errors.reset();
    return JobContext.run(
        command, new PrintStream(errors, true, StandardCharsets.UTF_8), arguments);
  }

  /** What the last job said on its error stream. */
  public String errors() {
    return errors.toString(StandardCharsets.UTF_8);
  }

  /** Starts a job in a process of its own, which can be killed. */
  public Process start(Class<?> main, String... more) throws IOException {
    return start(List.of(), main, more);
  }

  /** Starts a job in a process that can write no file beyond a size, as on a disk that is full. */
  public Process startWithSmallFiles(int kibibytes, Class<?> main, String... more)
      throws IOException {
    return start(
        List.of("bash", "-c", "ulimit -f " + kibibytes + "; exec \"$@\"", "bash"), main, more);
  }

  /** What jobs in processes of their own said. */
  public List<String> log() throws IOException {
    return Files.readAllLines(out.resolveSibling(out.getFileName() + ".log"));
  }

  private Process start(List<String> wrapper, Class<?> main, String... more) throws IOException {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(moduleOptions());
    command.add("-Dlog4j2.configurationFile=" + System.getProperty("log4j2.configurationFile"));
    command.add("-Xmx1g");
    // A model that is not small pays for the second compiler.
    if (Integer.parseInt(settings.getOrDefault("model.width", "0")) <= SMALL_WIDTH) {
      command.addAll(List.of(SHORT.split(" ")));
    }
    command.add("-Dspark.master=local[1]");
    command.add("-Dspark.ui.enabled=false");
    spark.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments(more)));
    Files.createDirectories(out);
    Path log = out.resolveSibling(out.getFileName() + ".log");
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  private static List<String> moduleOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> a.startsWith("--add") || a.startsWith("-XX:+Ignore") || a.contains("jdk.refl"))
        .toList();
  }

  /** A session; {@code local-cluster[…]} starts workers and executors as processes. */
  public static SparkSession session(String master) {
    return session(master, Map.of());
  }

  /**
   * A session.
   *
   * @param more settings of Spark's
   */
  public static SparkSession session(String master, Map<String, String> more) {
    SparkSession.Builder builder = SparkSession.builder();
    more.forEach(builder::config);
    return builder
        .master(master)
        .appName("test")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.extensions", "org.vstar.spark.sql.VStarExtensions")
        .config("spark.executor.memory", "1g")
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config("spark.executor.extraJavaOptions", SHORT + " --add-modules=jdk.incubator.vector")
        .getOrCreate();
  }

  /** How many tasks V* is measured for. */
  public int trainTasks() {
    return environment().tasks(Split.TRAIN).size();
  }
}
