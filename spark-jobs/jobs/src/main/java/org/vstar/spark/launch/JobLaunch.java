package org.vstar.spark.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.quickstart.QuickstartJob;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RemoteConfig;
import org.vstar.spark.store.Store;
import org.vstar.spark.study.StudyJob;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.HeadroomJob;
import org.vstar.spark.value.RescoreJob;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** How a job is submitted. */
final class JobLaunch {

  /** The jobs, by the names of their commands. */
  static final Map<String, Supplier<Callable<Integer>>> JOBS =
      Map.of(
          "study", StudyJob::new,
          "warm-start", WarmStartJob::new,
          "vstar", VStarJob::new,
          "headroom", HeadroomJob::new,
          "rescore", RescoreJob::new,
          "train", TrainJob::new,
          "evaluate", EvaluateJob::new,
          "quickstart", QuickstartJob::new);

  /** Jobs that read a pretrained model's folder; the others have their run's reference policy. */
  private static final Set<String> STARTS = Set.of("warm-start", "quickstart", "study");

  private static final String MODEL_KEY = "huggingFace.model";

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .build();

  private static final String CONFIG = "--config";
  private static final String SET = "--set";
  private static final String OUT = "--out";
  private static final String DRIVER_MEMORY_KEY = "driverMemory";
  private static final String UPLOAD = "spark.kubernetes.file.upload.path";

  private final Installation installation;
  private final String name;
  private final ParseResult parsed;
  private final LauncherOnlyOptions own = new LauncherOnlyOptions();
  private final Callable<Integer> job;
  private final List<OptionSpec> options;

  /**
   * @throws picocli.CommandLine.ParameterException if neither the job nor Spark has an option
   */
  JobLaunch(Installation installation, String name, List<String> arguments) {
    this.installation = installation;
    this.name = name;
    this.job = JOBS.get(name).get();
    CommandLine line = SparkOptions.commandLine(job);
    this.options =
        line.getCommandSpec().options().stream()
            .filter(option -> !SparkOptions.has(option.longestName()))
            .toList();
    // Options tell by their names whose they are; some put "--" between Spark's and the job's.
    String[] words = arguments.stream().filter(word -> !word.equals("--")).toArray(String[]::new);
    this.parsed = withLaunchOptions(line, own).parseArgs(words);
  }

  /** A job's command as a person types it. */
  static CommandLine commandLine(String name) {
    return withLaunchOptions(
        SparkOptions.commandLine(JOBS.get(name).get()), new LauncherOnlyOptions());
  }

  private static CommandLine withLaunchOptions(CommandLine line, LauncherOnlyOptions own) {
    line.getCommandSpec().addMixin("launch", CommandSpec.forAnnotatedObject(own));
    return line;
  }

  /** What is to be run. */
  Plan plan() {
    Submission submission = Submission.of(installation, SparkOptions.of(parsed));
    Map<String, String> settings =
        new LinkedHashMap<>(parsed.matchedOptionValue(SET, Map.<String, String>of()));
    // Only the quickstart's is not required.
    String config = parsed.matchedOptionValue(CONFIG, installation.quickstart().toString());
    Optional<Path> local = local(config);
    Optional<JsonNode> tree = local.map(file -> new ConfigFile().tree(file, settings));
    installation.requireAddons(own.addons);
    List<String> addons = ConfigAddons.of(name, tree, settings, own.addons, installation);
    requireFit(submission, addons);
    if (submission.cluster()) {
      requireReachable(submission, config);
    }
    List<String> missing = addons.stream().filter(addon -> !installation.has(addon)).toList();
    if (!missing.isEmpty()) {
      return new Plan.Build(missing);
    }
    Optional<ConfigArchive> archive = Optional.empty();
    if (submission.cluster() && !Store.isUri(config)) {
      Set<String> leftOut = STARTS.contains(name) ? Set.of() : Set.of(MODEL_KEY);
      archive = Optional.of(ConfigArchive.of(local.orElseThrow(), settings, leftOut));
    }
    List<String> command = command(submission, addons, config, archive, memory(submission, tree));
    if (own.dryRun) {
      return new Plan.End(0, dryRun(tree, command));
    }
    if (submission.standaloneCluster()) {
      return new StandaloneDriver(installation).await(command);
    }
    Optional<String> note =
        submission.master("yarn")
            ? Optional.of(Upload.of(submission, addons, archive).line())
            : Optional.empty();
    return new Plan.Run(submission.environment(addons), command, note);
  }

  /** Refuses what the Spark that is there cannot do. */
  private void requireFit(Submission submission, List<String> addons) {
    if (submission.master("yarn") && !installation.hasYarnClient()) {
      throw new InvalidInputException(
          "--master is 'yarn', and "
              + installation.sparkJars()
              + " has no YARN client (spark-yarn): set SPARK_HOME to a Spark that has one");
    }
    if (addons.contains(ConfigAddons.DL4J) && installation.hasScala213()) {
      throw new InvalidInputException(
          "the add-on dl4j is needed (warmStart.imitation, --add-ons), and Deeplearning4j has no module"
              + " for Spark 4 (Scala 2.13): set warmStart.imitation to 'engine', or SPARK_HOME to a"
              + " Spark 3.5");
    }
  }

  /** The driver's memory as the config has it, where the command line says nothing of it. */
  private static List<String> memory(Submission submission, Optional<JsonNode> tree) {
    Optional<String> typed =
        submission
            .spark()
            .last(SparkOptions.DRIVER_MEMORY)
            .or(() -> submission.spark().setting("spark.driver.memory"));
    return tree.map(config -> config.path(DRIVER_MEMORY_KEY).asText())
        .filter(size -> !size.isEmpty() && typed.isEmpty())
        .map(size -> List.of(SparkOptions.DRIVER_MEMORY, size))
        .orElse(List.of());
  }

  /** The file of this machine that has the config, unless it is on a store. */
  private static Optional<Path> local(String config) {
    if (!Store.isUri(config)) {
      return Optional.of(Path.of(config));
    }
    return config.startsWith("file:")
        ? Optional.of(RemoteConfig.local(config, List.of())).filter(Files::exists)
        : Optional.empty();
  }

  /** A driver on a cluster sees neither this machine's folders nor the one it is started in. */
  private void requireReachable(Submission submission, String config) {
    if (!Store.isUri(config)) {
      boolean ships =
          submission.master("yarn")
              || submission.master("k8s:")
                  && submission.spark().effective(UPLOAD, installation).isPresent();
      if (!ships) {
        throw new InvalidInputException(
            "--config "
                + config
                + " is a file of this machine, and the driver runs on the cluster (--deploy-mode"
                + " cluster): put it, and what it names, on a store that both see, and name its URI"
                + " (file:/… if all machines have the same folder)"
                + (submission.master("k8s:") ? ", or set " + UPLOAD : ""));
      }
    }
    if (parsed.hasMatchedOption(OUT)) {
      JobContext.requireReachable(parsed.matchedOptionValue(OUT, ""));
    } else {
      throw new InvalidInputException(
          "--out is missing, and the driver runs on the cluster (--deploy-mode cluster): name a URI"
              + " for the results");
    }
    for (OptionSpec option : options) {
      boolean place = option.paramLabel().equals("FOLDER");
      if (place && parsed.hasMatchedOption(option)) {
        parsed
            .matchedOption(option.longestName())
            .originalStringValues()
            .forEach(value -> requireSeen(option.longestName(), value));
      }
    }
  }

  private static void requireSeen(String option, String value) {
    if (!Store.isUri(value) && !value.startsWith("/") && Files.exists(Path.of(value))) {
      throw new InvalidInputException(
          option
              + " "
              + value
              + " is on this machine, and the driver runs on the cluster (--deploy-mode cluster):"
              + " name a URI, or a path from the root of a disk that all machines share");
    }
  }

  private List<String> command(
      Submission submission,
      List<String> addons,
      String config,
      Optional<ConfigArchive> archive,
      List<String> memory) {
    List<String> words = new ArrayList<>(List.of(submission.script()));
    words.addAll(submission.jars(addons));
    words.addAll(submission.defaults());
    words.addAll(submission.allocation(addons));
    words.addAll(memory);
    List<String> archives = new ArrayList<>(submission.spark().all(SparkOptions.ARCHIVES));
    archive.ifPresent(
        one -> archives.add(Installation.uri(one.file()) + "#" + ConfigArchive.FOLDER));
    if (!archives.isEmpty()) {
      words.addAll(List.of(SparkOptions.ARCHIVES, String.join(",", archives)));
    }
    List<String> apart =
        new ArrayList<>(
            List.of(SparkOptions.JARS, SparkOptions.ARCHIVES, SparkOptions.DEPLOY_MODE));
    if (submission.standaloneCluster()) {
      words.addAll(submission.standaloneDriver());
      apart.add(SparkOptions.JAVA_OPTIONS);
    }
    words.addAll(submission.spark().words(apart));
    words.addAll(List.of(SparkOptions.DEPLOY_MODE, submission.cluster() ? "cluster" : "client"));
    words.addAll(List.of("--class", job.getClass().getName()));
    words.add(Installation.uri(installation.jobs()));
    words.addAll(jobWords(archive.map(ConfigArchive::config).orElse(config)));
    return words;
  }

  /** The job's own options as they were typed. */
  private List<String> jobWords(String config) {
    List<String> words = new ArrayList<>();
    for (OptionSpec option : options) {
      if (option.longestName().equals(CONFIG)) {
        words.addAll(List.of(CONFIG, config));
        continue;
      }
      if (!parsed.hasMatchedOption(option)) {
        continue;
      }
      OptionSpec matched = parsed.matchedOption(option.longestName());
      if (option.arity().max() == 0) {
        words.add(option.longestName());
      } else {
        matched
            .originalStringValues()
            .forEach(value -> words.addAll(List.of(option.longestName(), value)));
      }
    }
    return words;
  }

  private static String dryRun(Optional<JsonNode> config, List<String> command) {
    StringBuilder text = new StringBuilder();
    try {
      if (config.isPresent()) {
        text.append(YAML.writeValueAsString(config.get())).append('\n');
      }
    } catch (JsonProcessingException e) {
      throw new InvalidInputException("cannot write the config: " + e.getOriginalMessage(), e);
    }
    String between = "";
    for (String word : command) {
      text.append(word.startsWith("--") ? " \\\n  " : between).append(ShellWord.of(word));
      between = " ";
    }
    return text.append('\n').toString();
  }
}
