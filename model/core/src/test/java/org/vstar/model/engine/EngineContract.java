package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.vstar.model.engine.ContractCases.BIASED;
import static org.vstar.model.engine.ContractCases.OPTIMIZER;
import static org.vstar.model.engine.ContractCases.QWEN3;
import static org.vstar.model.engine.ContractCases.SHAPE;
import static org.vstar.model.engine.ContractCases.VOCABULARY;
import static org.vstar.model.engine.ContractCases.batch;
import static org.vstar.model.engine.ContractCases.ones;
import static org.vstar.model.engine.ContractCases.sum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;

/** What every engine promises: a test class of an engine extends it and says how it is opened. */
public interface EngineContract {

  /** The engine under test. */
  EngineKind kind();

  private Engine open(EngineOptions options) {
    return kind().open(ContractCases.weights(SHAPE), options);
  }

  @Test
  default void sampledAndScoredLogProbabilitiesAgreeWithinTheTolerance() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Generator generator = engine.generator(2);
        Scorer scorer = engine.scorer(0.7)) {
      int[] tokens = Arrays.copyOf(new int[] {3, 1, 4}, 23);
      float[] sampled = new float[20];
      int[] next = Arrays.copyOf(tokens, 3);
      for (int i = 0; i < sampled.length; i++) {
        Choice choice = new Choice((i * 7 % 20) / 20.0, null, 0.7, 1);
        Draw draw = generator.extend(List.of(new Extension(1, next)), List.of(choice)).get(0);
        sampled[i] = draw.logProbability();
        tokens[3 + i] = draw.token();
        next = new int[] {draw.token()};
      }
      BitSet agent = new BitSet();
      agent.set(3, tokens.length);
      float[] scored = scorer.logProbabilities(List.of(new Sequence(tokens, agent, List.of())))[0];
      for (int i = 0; i < sampled.length; i++) {
        assertThat((double) sampled[i]).isCloseTo(scored[i], within(engine.logProbTolerance()));
      }
    }
  }

  @Test
  default void resultsDoNotDependOnThreadsAndHardlyOnMicroBatches() {
    List<float[][]> scores = new ArrayList<>();
    List<Double> norms = new ArrayList<>();
    List<String> stepped = new ArrayList<>();
    double tolerance = 0;
    for (EngineOptions options :
        List.of(new EngineOptions(1, 20), new EngineOptions(3, 20), new EngineOptions(2, 1000))) {
      try (Engine engine = open(options);
          Scorer scorer = engine.scorer(1);
          Gradient gradient = engine.gradient();
          Optimizer optimizer = engine.optimizer(OPTIMIZER)) {
        scores.add(scorer.logProbabilities(batch()));
        scorer.addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
        norms.add(gradient.norm());
        optimizer.step(gradient, 1e-3);
        stepped.add(engine.fingerprint());
        tolerance = engine.logProbTolerance();
      }
    }
    for (int i = 0; i < batch().size(); i++) {
      for (int t = 0; t < scores.get(0)[i].length; t++) {
        double one = scores.get(0)[i][t];
        assertThat((double) scores.get(1)[i][t]).isCloseTo(one, within(tolerance));
        assertThat((double) scores.get(2)[i][t]).isCloseTo(one, within(tolerance));
      }
    }
    if (tolerance == 0) {
      assertThat(stepped.get(1)).isEqualTo(stepped.get(0));
    }
    assertThat(norms.get(1)).isCloseTo(norms.get(0), within(1e-4 * norms.get(0)));
    assertThat(norms.get(2)).isCloseTo(norms.get(0), within(1e-4 * norms.get(0)));
  }

  @Test
  default void aStepAlongTheGradientRaisesTheSumOfLogProbabilities() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(OPTIMIZER)) {
      String before = engine.fingerprint();
      double sum = sum(scorer.logProbabilities(batch()));
      scorer.addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
      gradient.scale(-1);
      optimizer.step(gradient, 1e-3);
      assertThat(sum(scorer.logProbabilities(batch()))).isGreaterThan(sum);
      assertThat(engine.fingerprint()).isNotEqualTo(before);
      gradient.clear();
      assertThat(gradient.norm()).isZero();
    }
  }

  @Test
  default void aCopyIsTrainedWithoutTheOriginalAndStoredStateRepeatsIt() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Engine copy = engine.copy();
        Gradient gradient = copy.gradient();
        Optimizer optimizer = copy.optimizer(OPTIMIZER)) {
      assertThat(copy.fingerprint()).isEqualTo(engine.fingerprint());
      copy.scorer(1).addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
      optimizer.step(gradient, 1e-3);
      assertThat(copy.fingerprint()).isNotEqualTo(engine.fingerprint());
      try (Engine stored = kind().open(copy.weights(), EngineOptions.ONE_THREAD);
          Optimizer restored = stored.optimizer(OPTIMIZER);
          Gradient own = stored.gradient()) {
        restored.restore(optimizer.steps(), optimizer.moments());
        stored.scorer(1).addGradient(batch(), (i, logPi) -> ones(logPi), own);
        gradient.clear();
        copy.scorer(1).addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
        restored.step(own, 1e-3);
        optimizer.step(gradient, 1e-3);
        assertThat(stored.fingerprint()).isEqualTo(copy.fingerprint());
      }
    }
  }

  @Test
  default void muonsStepsAreThoseOfItsFormulas() {
    OptimizerConfig muon = OPTIMIZER.withMuon(0.9);
    for (ModelConfig shape : List.of(SHAPE, QWEN3, BIASED)) {
      WeightSource weights = ContractCases.weights(shape);
      try (Engine engine = kind().open(weights, EngineOptions.ONE_THREAD);
          Gradient gradient = engine.gradient();
          Optimizer optimizer = engine.optimizer(muon)) {
        MuonFormulas expected = new MuonFormulas(muon, weights);
        for (int step = 0; step < 2; step++) {
          gradient.clear();
          ContractCases.addGradient(engine, gradient);
          expected.step(gradient.tensors(), 1e-2);
          optimizer.step(gradient, 1e-2);
          expected.requireNear(engine.weights());
        }
      }
    }
  }

  @Test
  default void gradientsMatchNumericDifferences() {
    for (ModelConfig shape : List.of(SHAPE, QWEN3, BIASED)) {
      WeightSource weights = ContractCases.weights(shape);
      try (Engine engine = kind().open(weights, EngineOptions.ONE_THREAD);
          Gradient gradient = engine.gradient()) {
        ContractCases.addGradient(engine, gradient);
        ContractCases.requireGradient(
            weights,
            gradient.tensors(),
            moved -> {
              WeightSource there = WeightSource.of(shape, VOCABULARY, moved);
              try (Engine other = kind().open(there, EngineOptions.ONE_THREAD)) {
                return ContractCases.sum(other);
              }
            });
      }
    }
  }

  @Test
  default void continuationsAreTheLikeliestTokensTheLikeliestFirst() {
    BitSet two = new BitSet();
    two.set(3);
    two.set(9);
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Generator generator = engine.generator(2)) {
      List<Extension> opening =
          List.of(new Extension(1, new int[] {4, 7, 2}), new Extension(0, new int[] {5}));
      List<List<Draw>> told =
          generator.continuations(opening, Arrays.asList(null, two), VOCABULARY + 5);
      assertThat(told.get(0)).hasSize(VOCABULARY);
      assertThat(told.get(1)).extracting(Draw::token).containsExactlyInAnyOrder(3, 9);
      for (List<Draw> row : told) {
        assertThat(row)
            .isSortedAccordingTo(Comparator.comparing((Draw draw) -> -draw.logProbability()));
        assertThat(row.stream().mapToDouble(draw -> Math.exp(draw.logProbability())).sum())
            .isCloseTo(1, within(1e-4));
      }
    }
  }

  @Test
  default void aCopiedSlotAndTheOriginalGoOnWithoutEachOther() {
    SplittableRandom random = new SplittableRandom(4);
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Generator generator = engine.generator(3)) {
      // More than an engine holds in a block; the copies take the place of a longer and a shorter.
      int[] opening = random.ints(45, 0, VOCABULARY).toArray();
      int[] longer = random.ints(60, 0, VOCABULARY).toArray();
      generator.continuations(
          List.of(
              new Extension(0, longer), new Extension(1, opening), new Extension(2, new int[] {1})),
          Arrays.asList(null, null, null),
          1);
      generator.copy(1, 0);
      generator.copy(1, 2);
      List<int[]> read = new ArrayList<>(List.of(opening, opening, opening));
      for (int step = 0; step < 3; step++) {
        List<Extension> extensions = new ArrayList<>();
        for (int slot = 0; slot < 3; slot++) {
          int[] more = {(5 * slot + step) % VOCABULARY};
          extensions.add(new Extension(slot, more));
          read.set(
              slot, IntStream.concat(Arrays.stream(read.get(slot)), Arrays.stream(more)).toArray());
        }
        List<List<Draw>> told =
            generator.continuations(extensions, Arrays.asList(null, null, null), 4);
        for (int slot = 0; slot < 3; slot++) {
          requireNear(engine, told.get(slot), fresh(engine, read.get(slot)));
        }
      }
    }
  }

  private static List<Draw> fresh(Engine engine, int[] tokens) {
    try (Generator generator = engine.generator(1)) {
      return generator
          .continuations(List.of(new Extension(0, tokens)), Collections.singletonList(null), 4)
          .get(0);
    }
  }

  private static void requireNear(Engine engine, List<Draw> own, List<Draw> expected) {
    double tolerance = Math.max(1e-6, engine.logProbTolerance());
    assertThat(own).extracting(Draw::token).isEqualTo(expected.stream().map(Draw::token).toList());
    for (int i = 0; i < own.size(); i++) {
      assertThat((double) own.get(i).logProbability())
          .isCloseTo(expected.get(i).logProbability(), within(tolerance));
    }
  }

  @Test
  default void aSlotIsNotChangedByItsNeighbours() {
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Generator together = engine.generator(3);
        Generator alone = engine.generator(1)) {
      SplittableRandom random = new SplittableRandom(8);
      for (int turn = 0; turn < 6; turn++) {
        List<Extension> all = new ArrayList<>();
        List<Choice> choices = new ArrayList<>();
        int[] own = random.ints(turn % 3 == 0 ? 5 : 1, 0, VOCABULARY).toArray();
        if (turn == 3) {
          together.reset(0);
        }
        for (int slot : new int[] {2, 0, 1}) {
          int[] tokens = slot == 1 ? own : random.ints(1 + slot, 0, VOCABULARY).toArray();
          all.add(new Extension(slot, tokens));
          choices.add(new Choice(0.3, null, 1, 1));
        }
        Draw among = together.extend(all, choices).get(2);
        Draw apart = alone.extend(List.of(new Extension(0, own)), choices.subList(2, 3)).get(0);
        assertThat(among.token()).isEqualTo(apart.token());
        assertThat((double) among.logProbability())
            .isCloseTo(apart.logProbability(), within(engine.logProbTolerance()));
      }
    }
  }

  /** Of two tokens that the agent did not write: what a critic is read off. */
  @Test
  default void anotherTokenThanTheWrittenOneIsScoredWhereASequenceAsksForIt() {
    int[] prompt = {3, 1, 4};
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      double[] p = probabilities(engine, prompt);
      BitSet agent = new BitSet();
      agent.set(prompt.length);
      BitSet two = new BitSet();
      two.set(5);
      two.set(7);
      Sequence asked = new Sequence(new int[] {3, 1, 4, 11}, agent, List.of(two), new int[] {7});
      double found = Math.exp(scorer.logProbabilities(List.of(asked))[0][0]);
      assertThat(found).isCloseTo(p[7] / (p[5] + p[7]), within(1e-4 + engine.logProbTolerance()));
    }
  }

  private static double[] probabilities(Engine engine, int[] prompt) {
    double[] probabilities = new double[VOCABULARY];
    try (Scorer scorer = engine.scorer(1)) {
      for (int token = 0; token < VOCABULARY; token++) {
        int[] tokens = Arrays.copyOf(prompt, prompt.length + 1);
        tokens[prompt.length] = token;
        BitSet agent = new BitSet();
        agent.set(prompt.length);
        probabilities[token] =
            Math.exp(
                scorer.logProbabilities(List.of(new Sequence(tokens, agent, List.of())))[0][0]);
      }
    }
    return probabilities;
  }

  /** An even grid of u takes each token as often as its probability says. */
  @Test
  default void drawsFollowTheProbabilitiesWithinWhatIsAllowed() {
    int[] prompt = {3, 1, 4};
    int grid = 500;
    BitSet allowed = new BitSet();
    allowed.set(2, 9);
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Generator generator = engine.generator(grid)) {
      double[] p = probabilities(engine, prompt);
      List<Choice> all = new ArrayList<>();
      List<Choice> some = new ArrayList<>();
      for (int i = 0; i < grid; i++) {
        double u = (i + 0.5) / grid;
        all.add(new Choice(u, null, 1, 1));
        some.add(new Choice(u, allowed, 1, 1));
      }
      int[] free = new int[VOCABULARY];
      double mass = 0;
      for (int token = 2; token < 9; token++) {
        mass += p[token];
      }
      draws(generator, prompt, all).forEach(draw -> free[draw.token()]++);
      for (Draw within : draws(generator, prompt, some)) {
        assertThat(allowed.get(within.token())).isTrue();
        assertThat(Math.exp(within.logProbability()))
            .isCloseTo(p[within.token()] / mass, within(1e-3 + engine.logProbTolerance()));
      }
      int likeliest = 0;
      for (int token = 0; token < VOCABULARY; token++) {
        likeliest = p[token] > p[likeliest] ? token : likeliest;
        assertThat((double) free[token] / grid).isCloseTo(p[token], within(3.0 / grid));
      }
      Draw greedy = draw(generator, prompt, new Choice(0.9, null, 0, 1));
      assertThat(greedy.token()).isEqualTo(likeliest);
      assertThat(draw(generator, prompt, new Choice(0.99, null, 1, 1e-6)).token())
          .isEqualTo(likeliest);
    }
  }

  private static Draw draw(Generator generator, int[] prompt, Choice choice) {
    return draws(generator, prompt, List.of(choice)).get(0);
  }

  /** Draws what follows a prompt, in a slot for each choice. */
  private static List<Draw> draws(Generator generator, int[] prompt, List<Choice> choices) {
    List<Extension> extensions = new ArrayList<>();
    for (int slot = 0; slot < choices.size(); slot++) {
      generator.reset(slot);
      extensions.add(new Extension(slot, prompt));
    }
    return generator.extend(extensions, choices);
  }
}
