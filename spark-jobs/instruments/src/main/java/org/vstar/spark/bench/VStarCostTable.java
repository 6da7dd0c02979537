package org.vstar.spark.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Turn;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.Sequence;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.model.rollout.Demonstrations;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Counts the tokens of a config's demonstrations in the words of a published model's tokenizer, and
 * prints what V* of many tasks would cost with a policy that reads and writes as much.
 */
@Command(
    name = "bench cost",
    description = "Estimates the cost of V* of many tasks from a config's demonstrations.")
public final class VStarCostTable implements Callable<Integer> {

  private static final Map<String, Double> DEFAULTS =
      Map.ofEntries(
          Map.entry("tasks", 12_087.0),
          Map.entry("samples", 64.0),
          Map.entry("executors", 100.0),
          Map.entry("episodes", 200.0),
          Map.entry("writtenTimes", 1.0),
          Map.entry("sampleBytes", 230.0),
          // Qwen2.5-1.5B in bfloat16: 28 layers with two heads of keys and values of width 128.
          Map.entry("parameters", 1.54e9),
          Map.entry("parameterBytes", 2.0),
          Map.entry("tokenBytes", 2.0 * 2 * 28 * 2 * 128),
          // An A10G, as its data sheet has it.
          Map.entry("operations", 70e12),
          Map.entry("bandwidth", 600e9),
          Map.entry("share", 0.4),
          Map.entry("slots", 64.0),
          Map.entry("price", 1.0));

  @Parameters(index = "0", paramLabel = "CONFIG")
  private Path file;

  @Option(
      names = "--tokenizer",
      paramLabel = "DIR",
      required = true,
      description = "of a published model: tokenizer.json and tokenizer_config.json")
  private Path tokenizers;

  @Option(names = "--set", paramLabel = "KEY=VALUE", description = "another value in the config")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Parameters(index = "1..*", paramLabel = "KEY=NUMBER", arity = "0..*")
  private Map<String, Double> given = new LinkedHashMap<>();

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new VStarCostTable(), args);
  }

  @Override
  public Integer call() {
    given.forEach(
        (key, value) ->
            InvalidInputException.require(
                DEFAULTS.containsKey(key), key, value, "one of " + DEFAULTS.keySet()));
    Map<String, Double> numbers = new TreeMap<>(DEFAULTS);
    numbers.putAll(given);
    Tokens tokens = tokens(numbers.get("episodes").intValue());
    double written = tokens.written * numbers.get("writtenTimes");
    VStarCost cost =
        new VStarCost(
            new VStarCost.Job(
                numbers.get("tasks").longValue(),
                numbers.get("samples").intValue(),
                tokens.read,
                written,
                numbers.get("sampleBytes")),
            new VStarCost.Policy(
                numbers.get("parameters"),
                numbers.get("parameterBytes"),
                numbers.get("tokenBytes")),
            new VStarCost.Machine(
                numbers.get("operations"),
                numbers.get("bandwidth"),
                numbers.get("share"),
                numbers.get("slots").intValue(),
                numbers.get("price")));
    print("turns of an episode", "%.1f", tokens.turns);
    print("tokens that it reads", "%.0f", tokens.read);
    print("tokens that it writes", "%.0f", written);
    print("episodes", "%,.0f", cost.job().episodes());
    print("tokens read, 10⁹", "%.2f", cost.job().episodes() * tokens.read / 1e9);
    print("tokens written, 10⁹", "%.2f", cost.job().episodes() * written / 1e9);
    print("tokens a second that an executor reads", "%,.0f", cost.readSpeed());
    print("tokens a second that it writes", "%,.0f", cost.writtenSpeed());
    print("hours of one executor", "%.1f", cost.machineHours());
    int executors = numbers.get("executors").intValue();
    print("hours of " + executors + " executors", "%.2f", cost.hours(executors));
    print("price", "%.0f", cost.money());
    print("MB of samples", "%.0f", cost.bytes() / 1e6);
    return 0;
  }

  private static void print(String what, String format, double value) {
    System.out.printf(Locale.ROOT, "%-40s " + format + "%n", what, value);
  }

  /**
   * Means of episodes.
   *
   * @param read tokens, each once
   */
  private record Tokens(double turns, double read, double written) {}

  /** Nothing is computed here, so the config's engine need not be there. */
  private Map<String, String> uncomputed() {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.put("engine", EngineKind.DEFAULT);
    return all;
  }

  private Tokens tokens(int episodes) {
    RunConfig config =
        new ConfigFile()
            .with(EnvironmentKind.all())
            .with(ObjectiveKind.all())
            .read(file, uncomputed(), RunConfig.class);
    Tokenizer tokenizer = TokenizerFiles.tokenizer(tokenizers);
    ChatTemplate chat =
        new HuggingFaceChat(
            TokenizerFiles.config(tokenizers), Json.MAPPER.createObjectNode(), null);
    Path folder = file.toAbsolutePath().getParent();
    Opened opened = config.environment().open(folder, config.seed());
    Environment environment = opened.environment();
    double turns = 0;
    double read = 0;
    double written = 0;
    for (List<Turn> episode : opened.demonstrations().batch(config.seed(), episodes)) {
      turns += episode.size();
      for (Sequence sequence :
          Demonstrations.sequences(
              episode,
              chat,
              tokenizer,
              environment.answerFormat(),
              config.sampling(),
              Integer.MAX_VALUE)) {
        written += sequence.agent().cardinality();
        read += sequence.tokens().length - sequence.agent().cardinality();
      }
    }
    return new Tokens(turns / episodes, read / episodes, written / episodes);
  }
}
