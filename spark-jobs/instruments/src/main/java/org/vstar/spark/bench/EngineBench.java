package org.vstar.spark.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

/**
 * Times an engine's update (scores, gradient, AdamW) and its sampling with random weights. Prints
 * one line for each: what, and seconds. {@code submit/bench engine} runs it beside the same steps
 * in PyTorch.
 */
public final class EngineBench {

  private static final int UPDATES = 9;

  /** Until the compiler has seen what is hot. */
  private static final double WARM_UP_SECONDS = 6;

  private static final int BATCH = 8;
  private static final int LENGTH = 256;
  private static final int EPISODES = 64;
  private static final int VOCABULARY = 2048;
  private static final OptimizerConfig ADAMW =
      new OptimizerConfig(1e-3, 0, 1, 0.9, 0.98, 1e-8, 0.01, 1);

  private final String kind;
  private final String device;
  private final DType type;

  private EngineBench(String kind, String device, DType type) {
    this.kind = kind;
    this.device = device;
    this.type = type;
  }

  /**
   * Runs the benchmark.
   *
   * @param args engine, device, type, threads, and what: {@code update:WIDTHxLAYERS} or {@code
   *     sample:WIDTHxLAYERS}
   */
  public static void main(String[] args) {
    EngineBench bench = new EngineBench(args[0], args[1], DType.ofTorch(args[2]).orElseThrow());
    int threads = Integer.parseInt(args[3]);
    for (String what : Arrays.asList(args).subList(4, args.length)) {
      String[] shape = what.substring(what.indexOf(':') + 1).split("x");
      int width = Integer.parseInt(shape[0]);
      int layers = Integer.parseInt(shape[1]);
      ModelConfig c =
          new ModelConfig(layers, width, 4, 4, 4 * width, 2 * LENGTH, 10_000, 1e-5, false);
      double seconds = what.startsWith("update") ? bench.update(c, threads) : bench.sampling(c);
      System.out.printf(Locale.ROOT, "%s %.6f%n", what, seconds);
    }
  }

  private Engine open(ModelConfig c, int threads) {
    float[] weights = new Initialization(0.05, 0.05, false).draw(c, VOCABULARY, 1);
    int microBatch = BATCH * LENGTH / threads;
    return EngineKind.of(kind)
        .open(
            new FlatWeights(c, VOCABULARY, weights),
            new EngineOptions(threads, microBatch).on(device, type));
  }

  private static List<Sequence> batch() {
    SplittableRandom random = new SplittableRandom(1);
    List<Sequence> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      BitSet agent = new BitSet();
      agent.set(1, LENGTH);
      batch.add(new Sequence(random.ints(LENGTH, 0, VOCABULARY).toArray(), agent, List.of()));
    }
    return batch;
  }

  /** The median of some updates' seconds, behind a warm-up. */
  private double update(ModelConfig c, int threads) {
    List<Sequence> batch = batch();
    float share = -1f / (BATCH * (LENGTH - 1));
    double[] seconds = new double[UPDATES];
    try (Engine engine = open(c, threads);
        Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(ADAMW)) {
      long began = System.nanoTime();
      for (int i = 0; i < UPDATES; ) {
        long start = System.nanoTime();
        gradient.clear();
        scorer.addGradient(
            batch,
            (s, logPi) -> {
              float[] mean = new float[logPi.length];
              Arrays.fill(mean, share);
              return mean;
            },
            gradient);
        optimizer.step(gradient, 1e-4);
        seconds[i] = (System.nanoTime() - start) / 1e9;
        i += (start - began) / 1e9 >= WARM_UP_SECONDS ? 1 : 0;
      }
    }
    Arrays.sort(seconds);
    return seconds[UPDATES / 2];
  }

  /** Seconds for a token of each episode, over episodes that grow from nothing. */
  private double sampling(ModelConfig c) {
    try (Engine engine = open(c, 1);
        Generator generator = engine.generator(EPISODES)) {
      long began = System.nanoTime();
      while ((System.nanoTime() - began) / 1e9 < WARM_UP_SECONDS) {
        sample(generator);
      }
      return Math.min(sample(generator), sample(generator));
    }
  }

  private static double sample(Generator generator) {
    SplittableRandom random = new SplittableRandom(2);
    int[] next = new int[EPISODES];
    IntStream.range(0, EPISODES).forEach(generator::reset);
    long start = System.nanoTime();
    for (int t = 0; t < LENGTH; t++) {
      List<Extension> extensions = new ArrayList<>();
      List<Choice> choices = new ArrayList<>();
      for (int e = 0; e < EPISODES; e++) {
        extensions.add(new Extension(e, new int[] {next[e]}));
        choices.add(new Choice(random.nextDouble(), null, 1, 1));
      }
      List<Generator.Draw> draws = generator.extend(extensions, choices);
      for (int e = 0; e < EPISODES; e++) {
        next[e] = draws.get(e).token();
      }
    }
    return (System.nanoTime() - start) / 1e9 / LENGTH;
  }
}
