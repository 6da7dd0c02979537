package org.vstar.spark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.launch.InstrumentLaunch;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The benchmarks, each in a JVM of its own. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures speed and memory on this machine.")
public final class Bench implements Callable<Integer> {

  private static final List<String> QUIET =
      List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");

  /** On what an engine computes, and in which type. */
  static final class Computation {

    @Option(
        names = "--device",
        paramLabel = "NAME",
        defaultValue = "cpu",
        description = "cpu, or cuda:0 (default: ${DEFAULT-VALUE})")
    private String device;

    @Option(
        names = "--dtype",
        paramLabel = "TYPE",
        defaultValue = "float32",
        description = "float32 or bfloat16 (default: ${DEFAULT-VALUE})")
    private String type;
  }

  private final InstrumentLaunch launch;

  @Spec private CommandSpec spec;

  private Bench(InstrumentLaunch launch) {
    this.launch = launch;
  }

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Bench(InstrumentLaunch.here()), args);
  }

  /** For the page of commands, which runs none. */
  public static Bench toBeDescribed() {
    return new Bench(null);
  }

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "expected one of " + spec.subcommands().keySet());
  }

  private static int run(ProcessBuilder builder) throws IOException, InterruptedException {
    return builder.inheritIO().start().waitFor();
  }

  private int java(List<String> options, List<String> addons, Class<?> main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(options);
    words.add(main.getName());
    words.addAll(arguments);
    return run(launch.java(addons, words));
  }

  private int spark(Class<?> main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(main.getName()));
    words.addAll(arguments);
    return run(launch.spark(words));
  }

  @Command(
      name = "model",
      description = "Kernels of the vector engine, side by side with ND4J's matrix products.")
  int model() throws IOException, InterruptedException {
    return java(List.of(), List.of("dl4j"), TransformerBench.class, List.of());
  }

  @Command(name = "env", description = "Episodes, steps and searches of WebShop.")
  int env(
      @Parameters(
              paramLabel = "DIR",
              arity = "0..1",
              description = "the shop's files (default: datasets/webshop-mini)")
          Path folder)
      throws IOException, InterruptedException {
    Path shop = folder == null ? launch.project().resolve("datasets/webshop-mini") : folder;
    return java(List.of(), List.of(), WebShopBench.class, List.of(shop.toString()));
  }

  @Command(
      name = "scale",
      description = "WebShop from disk in 3 GB of heap, with a catalogue that is generated.")
  int scale(
      @Parameters(index = "0", paramLabel = "DIR", description = "where the catalogue is generated")
          Path folder,
      @Parameters(
              index = "1",
              paramLabel = "PRODUCTS",
              defaultValue = "1180000",
              description = "its size (default: ${DEFAULT-VALUE})")
          int products)
      throws IOException, InterruptedException {
    List<String> arguments = List.of(folder.toString(), String.valueOf(products));
    return java(List.of("-Xmx3g"), List.of(), WebShopScale.class, arguments);
  }

  @Command(
      name = "engine",
      description =
          "Updates and sampling of each engine, side by side with PyTorch where PYTHON (default:"
              + " python3) can import it: seconds, and how many times PyTorch's speed.")
  int engine(
      @Mixin Computation computation,
      @Option(
              names = "--rounds",
              paramLabel = "N",
              defaultValue = "3",
              description = "the best of so many counts (default: ${DEFAULT-VALUE})")
          int rounds)
      throws IOException, InterruptedException {
    new SideBySide(launch, computation.device, computation.type).engines(rounds);
    return 0;
  }

  @Command(
      name = "checkpoint",
      description = {
        "Sampling and updates of a model in Hugging Face's layout by each engine, beside PyTorch.",
        "Prints tokens a second, seconds, and the most memory that was in use.",
        "PyTorch is left out where PYTHON cannot import torch, transformers and peft."
      })
  int checkpoint(
      @Parameters(paramLabel = "DIR", description = "the model's folder") Path folder,
      @Mixin Computation computation)
      throws IOException, InterruptedException {
    new SideBySide(launch, computation.device, computation.type).checkpoint(folder);
    return 0;
  }

  @Command(
      name = "peers",
      description = {
        "Trains the reference policy of a run by V* and A*-PO and by TRL's trainers.",
        "Prints greedy success on validation tasks by rollouts and seconds, and the most memory.",
        "PYTHON has to have the packages of submit/bench-peers.txt."
      })
  int peers(
      @Parameters(
              paramLabel = "DIR",
              description = "the run's folder, where submit/warm-start has made a reference policy")
          Path folder,
      @Option(
              names = "--config",
              required = true,
              paramLabel = "FILE",
              description = "the run's config")
          Path config,
      @Option(
              names = "--set",
              paramLabel = "KEY=VALUE",
              description = "another value in the config")
          Map<String, String> settings,
      @Option(
              names = "--steps",
              paramLabel = "N",
              description = "updates of all trainers (default: train.steps)")
          Integer steps,
      @Option(
              names = "--every",
              paramLabel = "N",
              defaultValue = "2",
              description = "updates between two evaluations (default: ${DEFAULT-VALUE})")
          int every,
      @Option(
              names = "--generations",
              paramLabel = "N",
              defaultValue = "8",
              description = "TRL's samples of a task in an update (default: ${DEFAULT-VALUE})")
          int generations,
      @Option(
              names = "--micro-batch",
              paramLabel = "N",
              defaultValue = "4",
              description = "episodes that TRL trains on at once (default: ${DEFAULT-VALUE})")
          int microBatch,
      @Option(
              names = "--threshold",
              paramLabel = "SHARE",
              defaultValue = "0.95",
              description = "the success that is waited for (default: ${DEFAULT-VALUE})")
          double threshold)
      throws IOException, InterruptedException {
    Optional<String> python = SideBySide.python("torch", "trl", "peft");
    if (python.isEmpty()) {
      throw new InvalidInputException(
          "there is nothing to compare with: PYTHON has to name a Python with torch, trl, datasets"
              + " and peft");
    }
    Peers.Options options = new Peers.Options(steps, every, generations, microBatch, threshold);
    new Peers(
            launch,
            config,
            settings == null ? Map.of() : settings,
            folder.toAbsolutePath().normalize(),
            options)
        .run(python.get());
    return 0;
  }

  @Command(
      name = "cost",
      description =
          "Tokens, hours, bytes and price of V* for many tasks, from the config's demonstrations in a"
              + " published model's tokens and from what an accelerator can do.")
  int cost(
      @Parameters(index = "0", paramLabel = "CONFIG", description = "whose demonstrations")
          Path config,
      @Option(
              names = "--tokenizer",
              paramLabel = "DIR",
              required = true,
              description = "the model's")
          Path tokenizer,
      @Option(
              names = "--set",
              paramLabel = "KEY=VALUE",
              description = "another value in the config")
          List<String> settings,
      @Parameters(
              index = "1..*",
              paramLabel = "KEY=NUMBER",
              arity = "0..*",
              description = "of the task, model or machine")
          List<String> numbers)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(config.toString()));
    arguments.addAll(List.of("--tokenizer", tokenizer.toString()));
    if (settings != null) {
      settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
    }
    if (numbers != null) {
      arguments.addAll(numbers);
    }
    return java(QUIET, List.of("jinja"), VStarCostTable.class, arguments);
  }

  @Command(
      name = "sql",
      description =
          "vstar and the other functions over rows made up, side by side with Spark's avg.")
  int sql(
      @Parameters(index = "0", paramLabel = "DIR", description = "a new folder") Path folder,
      @Parameters(
              index = "1",
              paramLabel = "ROWS",
              defaultValue = "100000000",
              description = "how many (default: ${DEFAULT-VALUE})")
          long rows)
      throws IOException, InterruptedException {
    return spark(SqlFunctions.class, List.of(folder.toString(), String.valueOf(rows)));
  }

  @Command(
      name = "adaptive",
      description =
          "How far V* is off with samples where they help and with N of each task, from the samples"
              + " that a run has; these are cut into blocks of MOST of each task.")
  int adaptive(
      @Parameters(
              arity = "6",
              paramLabel = "DIR BETA1 N FIRST ROUNDS MOST",
              hideParamSyntax = true,
              description = "the run's folder, and numbers")
          List<String> arguments)
      throws IOException, InterruptedException {
    return spark(AdaptiveSampling.class, arguments);
  }

  @Command(
      name = "cluster",
      description =
          "The V* job on 100 simulated cores, where each call of the policy is a wait; it is killed"
              + " half-way and resumed. SECONDS_A_CALL=0.02+0.0001 in the environment says how long a call"
              + " and a token take.")
  int cluster(
      @Parameters(index = "0", paramLabel = "DIR", description = "a new folder") Path folder,
      @Parameters(
              index = "1",
              paramLabel = "TASKS",
              defaultValue = "100000",
              description = "how many (default: ${DEFAULT-VALUE})")
          int tasks,
      @Parameters(
              index = "2",
              paramLabel = "N",
              defaultValue = "64",
              description = "samples of each (default: ${DEFAULT-VALUE})")
          int samples)
      throws IOException, InterruptedException {
    if (Files.exists(folder)) {
      throw new InvalidInputException(folder + " is there already");
    }
    Path config = launch.project().resolve("conf/bandit.yaml");
    List<String> policy = List.of(config.toString(), folder.toString());
    int code = java(List.of(), List.of(), SimulatedRun.class, policy);
    if (code == 0) {
      new SimulatedCluster(launch, config, folder).run(tasks, samples);
    }
    return code;
  }
}
