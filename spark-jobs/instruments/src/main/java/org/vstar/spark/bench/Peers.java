package org.vstar.spark.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.objective.AStarPoPolicyGradient;
import org.vstar.model.objective.AStarPoRegression;
import org.vstar.model.objective.Objective;
import org.vstar.spark.launch.InstrumentLaunch;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.tracking.JsonLines;
import org.vstar.spark.tracking.MetricsSink;

/**
 * Trains one reference policy by V* and A*-PO, and by TRL's trainers, on the same tasks, rewards
 * and number of threads. What is there already is not run again, and refused where it was made with
 * other settings.
 *
 * @param launch how processes are started
 * @param file the config
 * @param overrides of its keys
 * @param folder the run's, which has a reference policy; TRL's policies go to {@code peers} in it
 * @param options of the comparison
 */
record Peers(
    InstrumentLaunch launch,
    Path file,
    Map<String, String> overrides,
    Path folder,
    Options options) {

  /** Heap of the process that plays with policies. */
  private static final String HEAP = "-Xmx6g";

  private static final List<String> QUIET =
      List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");

  /**
   * What is compared.
   *
   * @param steps updates of all trainers; null for the config's
   * @param every updates between two evaluations
   * @param generations samples of a task in a group
   * @param microBatch episodes that TRL trains on at once
   * @param threshold the success that is waited for, 0 to 1
   */
  record Options(Integer steps, int every, int generations, int microBatch, double threshold) {}

  void run(String python) throws IOException, InterruptedException {
    RunConfig config = JobContext.read(file.toString(), overrides);
    Environment environment =
        config.environment().open(file.toAbsolutePath().getParent(), config.seed()).environment();
    new RunFolder(Store.open(folder.toString())).requireReference();
    List<LearningCurve> curves = new ArrayList<>();
    curves.add(own(config, environment));
    // TRL's other trainers have no episodes of several turns.
    List<String> methods = new ArrayList<>(List.of("grpo", "dr-grpo"));
    if (environment.maxTurns() == 1) {
      methods.add("rloo");
    }
    // TRL's A2PO trains all weights.
    if (environment.maxTurns() == 1 && config.train().lora() == null) {
      methods.add("a2po");
    }
    for (String method : methods) {
      curves.add(peer(python, method, config, environment));
    }
    curves.forEach(curve -> System.out.print(curve.table(options.threshold)));
  }

  private List<String> command(String name) {
    List<String> words = new ArrayList<>(List.of(launch.script(name)));
    words.addAll(List.of("--config", file.toString(), "--out", folder.toString()));
    overrides.forEach((key, value) -> words.addAll(List.of("--set", key + "=" + value)));
    return words;
  }

  /** V*, then training, as a user runs them, with as many threads as TRL has. */
  private LearningCurve own(RunConfig config, Environment environment)
      throws IOException, InterruptedException {
    RunFolder run = new RunFolder(Store.open(folder.toString()));
    String name = RunFolder.training(config.train().target().objective());
    Path memory = folder.resolve("peers/own-memory.txt");
    Path settings = folder.resolve("peers/own.json");
    requireSame(
        settings,
        Json.MAPPER
            .createObjectNode()
            .put("steps", steps(config))
            .put("every", options.every)
            .put("overrides", overrides.toString()));
    if (!Files.exists(memory)) {
      String master = "local[" + config.train().batch().threads() + "]";
      List<String> vstar = command("vstar");
      vstar.addAll(List.of("--master", master));
      double most = measured("vstar", new ProcessBuilder(vstar));
      List<String> train = command("train");
      train.addAll(List.of("--resume", "--master", master));
      train.addAll(List.of("--set", "train.evaluateEvery=" + options.every));
      train.addAll(List.of("--set", "train.steps=" + steps(config)));
      most = Math.max(most, measured("train", new ProcessBuilder(train)));
      Files.writeString(memory, String.valueOf(most));
    }
    long rollouts = (long) environment.tasks(Split.TRAIN).size() * config.vstar().samples();
    double seconds = run.stageTimes().getOrDefault("V*", 0.0);
    LearningCurve curve =
        new LearningCurve(
            config.objective().method(), Double.parseDouble(Files.readString(memory)));
    Map<Integer, Double> greedy = new HashMap<>();
    List<JsonNode> lines = JsonLines.read(run.store(), name);
    lines.stream()
        .filter(line -> line.path("stage").asText().equals(MetricsSink.VALIDATION))
        .forEach(line -> greedy.put(line.path("step").asInt(), line.path("success").asDouble()));
    curve.add(new LearningCurve.Point(0, rollouts, seconds, Double.NaN, greedy.get(0)));
    for (JsonNode line : lines) {
      if (line.path("stage").asText().equals(MetricsSink.TRAIN)) {
        int step = line.path("step").asInt() + 1;
        rollouts += line.path("rollouts").asLong();
        seconds += line.path("rollout_seconds").asDouble() + line.path("update_seconds").asDouble();
        curve.add(
            new LearningCurve.Point(
                step,
                rollouts,
                seconds,
                line.path("success").asDouble(),
                greedy.getOrDefault(step, Double.NaN)));
      }
    }
    return curve;
  }

  /** A trainer of TRL's. */
  private LearningCurve peer(
      String python, String method, RunConfig config, Environment environment)
      throws IOException, InterruptedException {
    Path out = folder.resolve("peers/" + method);
    Path trained = out.resolve("trained.json");
    Path settings = out.resolve("settings.json");
    requireSame(settings, settings(method, out, config));
    if (!Files.exists(trained)) {
      Files.deleteIfExists(out.resolve("curve.jsonl"));
      List<String> words =
          new ArrayList<>(List.of(python, launch.script("bench-peers.py"), settings.toString()));
      List<String> merging = new ArrayList<>(words);
      words.addAll(served());
      double memory = measured("TRL's " + method, new ProcessBuilder(words));
      if (config.train().lora() != null) {
        merging.add("--merge");
        measured("merging adapters", new ProcessBuilder(merging));
      }
      Files.writeString(
          trained, Json.MAPPER.createObjectNode().put("memory", memory).toPrettyString());
    }
    Path evaluated = out.resolve("success.json");
    if (!Files.exists(evaluated)) {
      ObjectNode success = Json.MAPPER.createObjectNode();
      success(out).forEach(success::put);
      Files.writeString(evaluated, success.toPrettyString());
    }
    double memory = Json.MAPPER.readTree(trained.toFile()).path("memory").asDouble();
    LearningCurve curve = new LearningCurve("TRL " + method, memory);
    JsonNode success = Json.MAPPER.readTree(evaluated.toFile());
    curve.add(
        new LearningCurve.Point(
            0, 0, 0, Double.NaN, success.path(PolicyFiles.REFERENCE).asDouble()));
    for (JsonNode line : curve(out)) {
      curve.add(
          new LearningCurve.Point(
              line.path("step").asInt(),
              line.path("rollouts").asLong(),
              line.path("seconds").asDouble(),
              line.path("success").asDouble(),
              success.path(line.path("policy").asText()).asDouble(Double.NaN)));
    }
    return curve;
  }

  /** Writes the settings of what is to be run, or refuses what was run with others. */
  private static void requireSame(Path file, ObjectNode settings) throws IOException {
    if (!Files.exists(file)) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, settings.toPrettyString());
      return;
    }
    JsonNode before = Json.MAPPER.readTree(file.toFile());
    JsonNode now = Json.MAPPER.readTree(settings.toString());
    for (String key : (Iterable<String>) now::fieldNames) {
      if (!now.get(key).equals(before.get(key))) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s: '%s' was %s and is %s now: take another folder, or delete %s",
                file,
                key,
                before.get(key),
                now.get(key),
                file.getParent()));
      }
    }
  }

  private static List<JsonNode> curve(Path out) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(out.resolve("curve.jsonl"))) {
      lines.add(Json.MAPPER.readTree(line));
    }
    return lines;
  }

  private List<String> configured(List<String> options, Class<?> main) {
    List<String> words = new ArrayList<>(options);
    words.add(main.getName());
    words.addAll(List.of("--config", file.toString()));
    overrides.forEach((key, value) -> words.addAll(List.of("--set", key + "=" + value)));
    return words;
  }

  private List<String> served() {
    List<String> options = new ArrayList<>(QUIET);
    options.add("-Xmx512m");
    return launch.java(List.of(), configured(options, EpisodeServer.class)).command();
  }

  /** Greedy success of the reference and of each saved policy, by its folder. */
  private Map<String, Double> success(Path out) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(QUIET);
    options.add(HEAP);
    List<String> words = configured(options, GreedySuccess.class);
    String reference = folder.resolve(PolicyFiles.REFERENCE).toString();
    words.add(reference);
    for (JsonNode line : curve(out)) {
      if (line.has("policy")) {
        words.add(line.path("policy").asText());
      }
    }
    Map<String, Double> success = new LinkedHashMap<>();
    RunConfig config = JobContext.read(file.toString(), overrides);
    Process process = launch.java(List.of(config.compute().engine(), "jinja"), words).start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        int space = line.lastIndexOf(' ');
        String policy = line.substring(0, space);
        success.put(
            policy.equals(reference) ? PolicyFiles.REFERENCE : policy,
            Double.parseDouble(line.substring(space + 1)));
      }
    }
    requireZero(process.waitFor(), GreedySuccess.class.getSimpleName());
    return success;
  }

  private ObjectNode settings(String method, Path out, RunConfig config) {
    LoraConfig lora = config.train().lora();
    ObjectNode all =
        Json.MAPPER
            .createObjectNode()
            .put("method", method)
            .put("policy", folder.resolve(PolicyFiles.REFERENCE).toString())
            .put("out", out.toString())
            .put("seed", config.seed())
            .put("threads", config.train().batch().threads())
            .put("steps", steps(config))
            .put("every", options.every)
            .put("episodes", config.train().batch().tasksPerStep())
            .put("generations", options.generations)
            .put("microBatch", options.microBatch)
            .put("samples", config.vstar().samples())
            .put("beta1", config.vstar().beta1())
            .put("beta2", beta2(config.objective()))
            .put("maxTokensPerTurn", config.sampling().maxTokensPerTurn())
            .put(
                "system",
                config.policy().huggingFace() == null
                    ? null
                    : config.policy().huggingFace().system());
    all.set("optimizer", Json.MAPPER.valueToTree(config.train().optimizer()));
    all.set("lora", Json.MAPPER.valueToTree(lora));
    return all;
  }

  private int steps(RunConfig config) {
    return options.steps == null ? config.train().schedule().steps() : options.steps;
  }

  private static double beta2(Objective objective) {
    if (objective instanceof AStarPoRegression regression) {
      return regression.beta2();
    }
    return objective instanceof AStarPoPolicyGradient gradient ? gradient.beta2() : 0;
  }

  /** Runs a command to its end: the most memory that it had, in GB. */
  private static double measured(String what, ProcessBuilder builder)
      throws IOException, InterruptedException {
    Process process = builder.inheritIO().start();
    PeakMemory memory = PeakMemory.of(process);
    requireZero(process.waitFor(), what);
    return memory.most();
  }

  private static void requireZero(int code, String what) {
    if (code != 0) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT, "%s ended with exit code %d: its own lines say why", what, code));
    }
  }
}
