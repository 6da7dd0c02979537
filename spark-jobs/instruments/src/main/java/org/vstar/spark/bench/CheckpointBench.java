package org.vstar.spark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.vstar.common.Parallel;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource;

/**
 * Times an engine on a model in Hugging Face's layout: sampling behind prompts, or updates. Prints
 * a line for each measurement: what, number, unit. {@code submit/bench checkpoint} runs it beside
 * the same steps in PyTorch.
 */
public final class CheckpointBench {

  private static final OptimizerConfig ADAMW =
      new OptimizerConfig(1e-6, 0, 1, 0.9, 0.98, 1e-8, 0.01, 1);
  private static final LoraConfig LORA =
      new LoraConfig(16, 32, List.of("q_proj", "k_proj", "v_proj", "o_proj"));

  /** An agent writes this part of a sequence, at its end. */
  private static final int WRITTEN = 4;

  /**
   * How much is computed. {@code bench-checkpoint.py} has the same numbers.
   *
   * @param threads Java's threads; sampled episodes and micro-batches are shared among them
   * @param slots sampled episodes
   * @param prompt tokens of a prompt
   * @param drawn tokens that are sampled behind it
   * @param batch sequences of an update
   * @param length tokens of each
   * @param microBatch sequences that go through the model at once, in each thread
   * @param warmUp repetitions that do not count
   * @param updates those that do
   */
  private record Sizes(
      int threads,
      int slots,
      int prompt,
      int drawn,
      int batch,
      int length,
      int microBatch,
      int warmUp,
      int updates) {

    static Sizes of(String device) {
      return device.startsWith("cuda")
          ? new Sizes(1, 32, 512, 128, 8, 1024, 8, 2, 5)
          : new Sizes(Runtime.getRuntime().availableProcessors(), 16, 128, 24, 8, 256, 2, 1, 1);
    }

    EngineOptions options(String device, String type) {
      boolean again = device.startsWith("cuda");
      return new EngineOptions(
          threads, microBatch * length, device, DType.ofTorch(type).orElseThrow(), again);
    }
  }

  private final Sizes sizes;
  private final Engine engine;

  private CheckpointBench(Sizes sizes, Engine engine) {
    this.sizes = sizes;
    this.engine = engine;
  }

  /**
   * Runs the benchmark.
   *
   * @param args the model's folder, engine, device, type, and what: {@code sample}, {@code lora}
   *     (updates of an adapter) or {@code weights} (updates of all weights)
   */
  public static void main(String[] args) throws IOException {
    long start = System.nanoTime();
    Sizes sizes = Sizes.of(args[2]);
    EngineOptions options = sizes.options(args[2], args[3]);
    try (Engine engine =
        EngineKind.of(args[1]).open(HuggingFaceModel.open(Path.of(args[0])), options)) {
      print("open", seconds(start), "s");
      CheckpointBench bench = new CheckpointBench(sizes, engine);
      switch (args[4]) {
        case "sample" -> bench.sampling();
        case "weights" -> {
          printPlan(args[1], engine, options, 0);
          print("update of all weights", bench.update(), "s");
        }
        case "lora" -> {
          Adapter adapter = new Adapter(LORA, LORA.initial(engine.config(), 1));
          printPlan(args[1], engine, options, count(LORA.tensors(engine.config())));
          try (Engine adapted = engine.adapted(adapter)) {
            print("update of an adapter", new CheckpointBench(sizes, adapted).update(), "s");
          }
        }
        default -> throw new IllegalArgumentException(args[4]);
      }
    }
    printMostMemory();
  }

  private static long count(List<TensorSource.Tensor> tensors) {
    return tensors.stream().mapToLong(TensorSource.Tensor::size).sum();
  }

  /**
   * What a job would say of memory before such an update.
   *
   * @param adapter parameters of the adapter that is trained; 0 where all weights are
   */
  private static void printPlan(String kind, Engine engine, EngineOptions options, long adapter) {
    MemoryPlan.Load load =
        new MemoryPlan.Load(engine.config(), engine.vocabulary(), adapter, 0, 1, 1, 0);
    EngineKind.of(kind)
        .trainingMemory(load, options)
        .ifPresent(plan -> print("memory as planned", plan.bytes() / 1e9, "GB"));
  }

  /** What the process had of memory at most, where the system says it. */
  private static void printMostMemory() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (Files.exists(status)) {
      Files.readAllLines(status).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .map(line -> line.replaceAll("\\D", ""))
          .forEach(kilobytes -> print("most memory", Long.parseLong(kilobytes) * 1024 / 1e9, "GB"));
    }
  }

  private static void print(String what, double number, String unit) {
    System.out.printf(Locale.ROOT, "%s: %.3f %s%n", what, number, unit);
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private void sampling() {
    int[][] tokens = new int[sizes.slots][sizes.prompt + sizes.drawn];
    float[][] sampled = new float[sizes.slots][sizes.drawn];
    int own = sizes.slots / sizes.threads;
    List<Generator> generators = new ArrayList<>();
    for (int i = 0; i < sizes.threads; i++) {
      generators.add(engine.generator(own));
    }
    for (int round = 0; round <= sizes.warmUp; round++) {
      SplittableRandom random = new SplittableRandom(round);
      for (int[] row : tokens) {
        Arrays.setAll(row, t -> random.nextInt(engine.vocabulary()));
      }
      long start = System.nanoTime();
      inThreads(i -> draw(generators.get(i), i * own, own, 0, tokens, sampled));
      double prompts = seconds(start);
      inThreads(
          i -> {
            for (int t = 1; t < sizes.drawn; t++) {
              draw(generators.get(i), i * own, own, t, tokens, sampled);
            }
          });
      double drawn = seconds(start) - prompts;
      if (round == sizes.warmUp) {
        print("prompts", sizes.slots * sizes.prompt / prompts, "tokens/s");
        print("sampling", sizes.slots * (sizes.drawn - 1) / drawn, "tokens/s");
      }
    }
    generators.forEach(Generator::close);
    print("largest difference of sampled and scored ln π", largestGap(tokens, sampled), "");
  }

  private void inThreads(IntConsumer work) {
    Parallel.run(
        sizes.threads,
        IntStream.range(0, sizes.threads).<Runnable>mapToObj(i -> () -> work.accept(i)).toList());
  }

  private void draw(
      Generator generator, int first, int count, int t, int[][] tokens, float[][] sampled) {
    List<Extension> extensions = new ArrayList<>();
    List<Choice> choices = new ArrayList<>();
    for (int slot = 0; slot < count; slot++) {
      if (t == 0) {
        generator.reset(slot);
      }
      int from = t == 0 ? 0 : sizes.prompt + t - 1;
      int[] row = tokens[first + slot];
      extensions.add(new Extension(slot, Arrays.copyOfRange(row, from, sizes.prompt + t)));
      // What was there decides as a random number would.
      double u = row[sizes.prompt + t] / (double) engine.vocabulary();
      choices.add(new Choice(u, null, 1, 1));
    }
    List<Draw> draws = generator.extend(extensions, choices);
    for (int slot = 0; slot < count; slot++) {
      tokens[first + slot][sizes.prompt + t] = draws.get(slot).token();
      sampled[first + slot][t] = draws.get(slot).logProbability();
    }
  }

  private double largestGap(int[][] tokens, float[][] sampled) {
    BitSet agent = new BitSet();
    agent.set(sizes.prompt, sizes.prompt + sizes.drawn);
    List<Sequence> sequences =
        Arrays.stream(tokens).map(own -> new Sequence(own, agent, List.of())).toList();
    double largest = 0;
    try (Scorer scorer = engine.scorer(1)) {
      float[][] scored = scorer.logProbabilities(sequences);
      for (int slot = 0; slot < sizes.slots; slot++) {
        for (int t = 0; t < sizes.drawn; t++) {
          largest = Math.max(largest, Math.abs(scored[slot][t] - sampled[slot][t]));
        }
      }
    }
    return largest;
  }

  /** The median of some updates' seconds. */
  private double update() {
    SplittableRandom random = new SplittableRandom(1);
    int written = sizes.length / WRITTEN;
    BitSet agent = new BitSet();
    agent.set(sizes.length - written, sizes.length);
    List<Sequence> batch = new ArrayList<>();
    for (int i = 0; i < sizes.batch; i++) {
      int[] tokens = random.ints(sizes.length, 0, engine.vocabulary()).toArray();
      batch.add(new Sequence(tokens, agent, List.of()));
    }
    float[] share = new float[written];
    Arrays.fill(share, -1f / (sizes.batch * written));
    double[] seconds = new double[sizes.updates];
    try (Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(ADAMW)) {
      for (int i = -sizes.warmUp; i < sizes.updates; i++) {
        long start = System.nanoTime();
        gradient.clear();
        scorer.addGradient(batch, (sequence, logPi) -> share, gradient);
        gradient.norm();
        optimizer.step(gradient, 1e-6);
        if (i >= 0) {
          seconds[i] = seconds(start);
        }
      }
    }
    Arrays.sort(seconds);
    return seconds[sizes.updates / 2];
  }
}
