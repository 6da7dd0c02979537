package org.vstar.spark.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
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
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;

/**
 * Times an engine on a model in Hugging Face's layout: sampling behind prompts, or updates. Prints
 * a line for each measurement: what, number, unit. {@code submit/bench checkpoint} runs it beside
 * the same steps in PyTorch.
 */
public final class CheckpointBench {

  private static final int SLOTS = 32;
  private static final int PROMPT = 512;
  private static final int DRAWN = 128;
  private static final int BATCH = 8;
  private static final int LENGTH = 1024;
  private static final int WARM_UP = 2;
  private static final int UPDATES = 5;
  private static final OptimizerConfig ADAMW =
      new OptimizerConfig(1e-6, 0, 1, 0.9, 0.98, 1e-8, 0.01, 1);
  private static final LoraConfig LORA =
      new LoraConfig(16, 32, List.of("q_proj", "k_proj", "v_proj", "o_proj"));

  private CheckpointBench() {}

  /**
   * Runs the benchmark.
   *
   * @param args the model's folder, engine, device, type, and what: {@code sample}, {@code lora}
   *     (updates of an adapter) or {@code weights} (updates of all weights)
   */
  public static void main(String[] args) {
    long start = System.nanoTime();
    EngineOptions options =
        new EngineOptions(1, BATCH * LENGTH, args[2], DType.ofTorch(args[3]).orElseThrow(), true);
    try (Engine engine =
        EngineKind.of(args[1]).open(HuggingFaceModel.open(Path.of(args[0])), options)) {
      print("open", seconds(start), "s");
      switch (args[4]) {
        case "sample" -> sampling(engine);
        case "weights" -> print("update of all weights", update(engine), "s");
        case "lora" -> {
          Adapter adapter = new Adapter(LORA, LORA.initial(engine.config(), 1));
          try (Engine adapted = engine.adapted(adapter)) {
            print("update of an adapter", update(adapted), "s");
          }
        }
        default -> throw new IllegalArgumentException(args[4]);
      }
    }
  }

  private static void print(String what, double number, String unit) {
    System.out.printf(Locale.ROOT, "%s: %.3f %s%n", what, number, unit);
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private static void sampling(Engine engine) {
    int[][] tokens = new int[SLOTS][PROMPT + DRAWN];
    float[][] sampled = new float[SLOTS][DRAWN];
    try (Generator generator = engine.generator(SLOTS)) {
      for (int round = 0; round <= WARM_UP; round++) {
        SplittableRandom random = new SplittableRandom(round);
        for (int slot = 0; slot < SLOTS; slot++) {
          generator.reset(slot);
          for (int t = 0; t < PROMPT; t++) {
            tokens[slot][t] = random.nextInt(engine.vocabulary());
          }
        }
        long start = System.nanoTime();
        draw(generator, random, 0, tokens, sampled);
        double prompts = seconds(start);
        for (int t = 1; t < DRAWN; t++) {
          draw(generator, random, t, tokens, sampled);
        }
        double drawn = seconds(start) - prompts;
        if (round == WARM_UP) {
          print("prompts", SLOTS * PROMPT / prompts, "tokens/s");
          print("sampling", SLOTS * (DRAWN - 1) / drawn, "tokens/s");
        }
      }
    }
    print("largest difference of sampled and scored ln π", largestGap(engine, tokens, sampled), "");
  }

  private static void draw(
      Generator generator, SplittableRandom random, int t, int[][] tokens, float[][] sampled) {
    List<Extension> extensions = new ArrayList<>();
    List<Choice> choices = new ArrayList<>();
    for (int slot = 0; slot < tokens.length; slot++) {
      int from = t == 0 ? 0 : PROMPT + t - 1;
      extensions.add(new Extension(slot, Arrays.copyOfRange(tokens[slot], from, PROMPT + t)));
      choices.add(new Choice(random.nextDouble(), null, 1, 1));
    }
    List<Draw> draws = generator.extend(extensions, choices);
    for (int slot = 0; slot < tokens.length; slot++) {
      tokens[slot][PROMPT + t] = draws.get(slot).token();
      sampled[slot][t] = draws.get(slot).logProbability();
    }
  }

  private static double largestGap(Engine engine, int[][] tokens, float[][] sampled) {
    BitSet agent = new BitSet();
    agent.set(PROMPT, PROMPT + DRAWN);
    List<Sequence> sequences =
        Arrays.stream(tokens).map(own -> new Sequence(own, agent, List.of())).toList();
    double largest = 0;
    try (Scorer scorer = engine.scorer(1)) {
      float[][] scored = scorer.logProbabilities(sequences);
      for (int slot = 0; slot < SLOTS; slot++) {
        for (int t = 0; t < DRAWN; t++) {
          largest = Math.max(largest, Math.abs(scored[slot][t] - sampled[slot][t]));
        }
      }
    }
    return largest;
  }

  /** The median of some updates' seconds. */
  private static double update(Engine engine) {
    SplittableRandom random = new SplittableRandom(1);
    BitSet agent = new BitSet();
    agent.set(1, LENGTH);
    List<Sequence> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      int[] tokens = random.ints(LENGTH, 0, engine.vocabulary()).toArray();
      batch.add(new Sequence(tokens, agent, List.of()));
    }
    float[] share = new float[LENGTH - 1];
    Arrays.fill(share, -1f / (BATCH * (LENGTH - 1)));
    double[] seconds = new double[UPDATES];
    try (Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(ADAMW)) {
      for (int i = -WARM_UP; i < UPDATES; i++) {
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
    return seconds[UPDATES / 2];
  }
}
