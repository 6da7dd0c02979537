package org.vstar.spark.soak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.bytedeco.javacpp.Pointer;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
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
 * Samples and trains for a while, {@code LibTorchSoak MINUTES}, at least 500 steps, and watches
 * resident memory and native objects. Exits with 1 if either grew.
 */
final class LibTorchSoak {

  private static final ModelConfig SHAPE =
      new ModelConfig(2, 64, 4, 2, 128, 128, 10_000, 1e-6, true);
  private static final int VOCABULARY = 500;
  private static final int STEPS = 500;
  private static final int SLOTS = 4;
  private static final int LENGTH = 64;

  /** What resident memory may move by between the middle and the end and still be called flat. */
  private static final long TOLERANCE_MB = 12;

  private static final int OBJECTS = 50;

  private LibTorchSoak() {}

  /** Samples and trains for some minutes; whether what the process holds was flat. */
  static boolean run(double minutes) {
    long end = System.nanoTime() + (long) (minutes * 60e9);
    float[] values = new Initialization(0.1, 0.1, false).draw(SHAPE, VOCABULARY, 1);
    EngineOptions options = new EngineOptions(2, 256, EngineOptions.AUTO, DType.FLOAT32, true);
    long memory = 0;
    long objects = 0;
    try (Engine engine =
            EngineKind.of("libtorch").open(new FlatWeights(SHAPE, VOCABULARY, values), options);
        Gradient gradient = engine.gradient();
        Optimizer optimizer =
            engine.optimizer(new OptimizerConfig(1e-3, 0, 1, 0.9, 0.99, 1e-8, 0.01, 1))) {
      int step = 0;
      int middle = 0;
      for (; step < STEPS || System.nanoTime() < end; step++) {
        train(engine, gradient, optimizer, sample(engine, step));
        boolean half = step == STEPS / 2 || step > STEPS && step >= 2 * middle;
        if (half) {
          middle = step;
          memory = megabytes();
          objects = Pointer.totalCount();
          print(step, memory, objects);
        }
      }
      print(step, megabytes(), Pointer.totalCount());
      boolean flat =
          megabytes() - memory <= TOLERANCE_MB && Pointer.totalCount() - objects <= OBJECTS;
      System.out.println(flat ? "flat" : "memory grew");
      return flat;
    }
  }

  private static long megabytes() {
    System.gc();
    return Pointer.physicalBytes() >> 20;
  }

  private static void print(int steps, long memory, long objects) {
    System.out.printf(
        Locale.ROOT, "%6d steps  resident %5d MB  %5d native objects%n", steps, memory, objects);
  }

  private static List<Sequence> sample(Engine engine, int step) {
    SplittableRandom random = new SplittableRandom(step);
    int[][] tokens = new int[SLOTS][LENGTH];
    try (Generator generator = engine.generator(SLOTS)) {
      for (int t = 1; t < LENGTH; t++) {
        List<Extension> extensions = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
          extensions.add(new Extension(slot, new int[] {tokens[slot][t - 1]}));
          choices.add(new Choice(random.nextDouble(), null, 1, 0.95));
        }
        List<Draw> draws = generator.extend(extensions, choices);
        for (int slot = 0; slot < SLOTS; slot++) {
          tokens[slot][t] = draws.get(slot).token();
        }
      }
    }
    List<Sequence> sampled = new ArrayList<>();
    for (int[] sequence : tokens) {
      BitSet agent = new BitSet();
      agent.set(1, LENGTH);
      sampled.add(new Sequence(sequence, agent, List.of()));
    }
    return sampled;
  }

  private static void train(
      Engine engine, Gradient gradient, Optimizer optimizer, List<Sequence> batch) {
    gradient.clear();
    try (Scorer scorer = engine.scorer(1)) {
      scorer.addGradient(
          batch,
          (i, logPi) -> {
            float[] each = new float[logPi.length];
            java.util.Arrays.fill(each, -1f / each.length);
            return each;
          },
          gradient);
    }
    optimizer.step(gradient, 1e-3);
  }
}
