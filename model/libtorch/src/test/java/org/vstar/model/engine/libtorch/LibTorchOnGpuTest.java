package org.vstar.model.engine.libtorch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.vstar.model.engine.AdapterContract;
import org.vstar.model.engine.CheckpointContract;
import org.vstar.model.engine.ContractCases;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineContract;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;

/** What every engine promises, on the first GPU, where there is one: mvn verify -Pcuda. */
@EnabledIf("thereIsAGpu")
class LibTorchOnGpuTest implements EngineContract, AdapterContract, CheckpointContract {

  private static final String GPU = "cuda:0";
  private static final int STEPS = 4;
  private static final int LENGTH = 40;
  private static final int EPISODES = 16;

  static boolean thereIsAGpu() {
    return LibTorch.gpus() > 0;
  }

  @Override
  public EngineKind kind() {
    return new OnDevice(GPU);
  }

  private static Engine open(String device, DType type) {
    return new OnDevice(device)
        .open(
            ContractCases.weights(ContractCases.QWEN3), EngineOptions.ONE_THREAD.on(device, type));
  }

  private static List<Sequence> batch(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sequence> batch = new ArrayList<>();
    for (int i = 0; i < EPISODES; i++) {
      BitSet agent = new BitSet();
      agent.set(1 + i, LENGTH);
      // Few tokens, so that each has its gradient from many places.
      batch.add(new Sequence(random.ints(LENGTH, 0, 5).toArray(), agent, List.of()));
    }
    return batch;
  }

  private static String trained(DType type) {
    try (Engine engine = open(GPU, type);
        Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(ContractCases.OPTIMIZER)) {
      for (int step = 0; step < STEPS; step++) {
        gradient.clear();
        scorer.addGradient(batch(step), (i, logPi) -> ContractCases.ones(logPi), gradient);
        optimizer.step(gradient, 1e-3);
      }
      return engine.fingerprint();
    }
  }

  private static List<Draw> sampled(DType type) {
    SplittableRandom random = new SplittableRandom(1);
    List<Draw> all = new ArrayList<>();
    try (Engine engine = open(GPU, type);
        Generator generator = engine.generator(EPISODES)) {
      int[] last = new int[EPISODES];
      for (int t = 0; t < LENGTH; t++) {
        List<Extension> extensions = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        for (int i = 0; i < EPISODES; i++) {
          extensions.add(new Extension(i, new int[] {last[i]}));
          choices.add(new Choice(random.nextDouble(), null, 1, 0.95));
        }
        List<Draw> draws = generator.extend(extensions, choices);
        for (int i = 0; i < EPISODES; i++) {
          last[i] = draws.get(i).token();
        }
        all.addAll(draws);
      }
    }
    return all;
  }

  @Test
  void theSameStepsEndWithTheSameWeightsToTheLastBit() {
    for (DType type : List.of(DType.FLOAT32, DType.BFLOAT16)) {
      String once = trained(type);
      for (int i = 0; i < STEPS; i++) {
        assertThat(trained(type)).as(type.name()).isEqualTo(once);
      }
    }
  }

  @Test
  void theSameDrawsGiveTheSameTokensAndProbabilities() {
    for (DType type : List.of(DType.FLOAT32, DType.BFLOAT16)) {
      assertThat(sampled(type)).as(type.name()).isEqualTo(sampled(type));
    }
  }

  @Test
  void scoresAreThoseOfTheCpuWithinTheTolerance() {
    float[][] exact = scores(EngineOptions.CPU, DType.FLOAT32);
    for (DType type : DType.values()) {
      float[][] other = scores(GPU, type);
      double tolerance = type == DType.FLOAT32 ? 1e-4 : 0.1;
      for (int i = 0; i < exact.length; i++) {
        for (int t = 0; t < exact[i].length; t++) {
          assertThat((double) other[i][t])
              .as("%s, sequence %d, token %d", type, i, t)
              .isCloseTo(exact[i][t], within(tolerance));
        }
      }
    }
  }

  private static float[][] scores(String device, DType type) {
    try (Engine engine = open(device, type);
        Scorer scorer = engine.scorer(1)) {
      return scorer.logProbabilities(batch(0));
    }
  }
}
