package org.vstar.model.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.engine.vector.Initialization;
import org.vstar.model.engine.vector.VectorWeights;

/** What every engine promises: a test class of an engine extends it and says how it is opened. */
public interface EngineContract {

  /** A small model. */
  ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 64, 500, 1e-5, true);

  /** Widths that are no multiples of 16; heads that are normed, and wider than width / heads. */
  ModelConfig QWEN3 =
      new ModelConfig(
          2, 24, 2, 1, 20, 64, 10_000, 1e-6, false, 18, true, false, false, false, null);

  /** A bias wherever there can be one, and stretched frequencies. */
  ModelConfig BIASED =
      new ModelConfig(
          1,
          32,
          2,
          2,
          24,
          64,
          500,
          1e-5,
          true,
          16,
          false,
          true,
          true,
          true,
          new RopeScaling(RopeScaling.Kind.LLAMA3, 8, 1.0, 4.0, 32));

  /** Its vocabulary. */
  int VOCABULARY = 21;

  /** The optimizer that is tried. */
  OptimizerConfig OPTIMIZER = new OptimizerConfig(1e-2, 0, 1, 0.9, 0.98, 1e-8, 0.01, 1);

  /** The engine under test. */
  EngineKind kind();

  private Engine open(EngineOptions options) {
    float[] values = new Initialization(0.3, 0.3, false).draw(SHAPE, VOCABULARY, 5);
    return kind().open(new VectorWeights(SHAPE, VOCABULARY, values), options);
  }

  /** Other tensors of the same model. */
  record Shaped(ModelConfig config, int vocabulary, TensorSource source) implements WeightSource {
    @Override
    public List<Tensor> tensors() {
      return source.tensors();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      source.read(tensor, into, offset);
    }
  }

  private static List<Sequence> batch() {
    SplittableRandom random = new SplittableRandom(6);
    List<Sequence> batch = new ArrayList<>();
    for (int length : new int[] {9, 30, 3, 17}) {
      BitSet agent = new BitSet();
      agent.set(length / 2, length);
      batch.add(new Sequence(random.ints(length, 0, VOCABULARY).toArray(), agent, List.of()));
    }
    return batch;
  }

  /** A loss whose gradient is 1 for every token: the sum of all log-probabilities. */
  private static float[] ones(float[] logPi) {
    float[] ones = new float[logPi.length];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static double sum(float[][] logPi) {
    double sum = 0;
    for (float[] sequence : logPi) {
      for (float p : sequence) {
        sum += p;
      }
    }
    return sum;
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

  private double sumAt(ModelConfig shape, TensorSource tensors) {
    WeightSource weights = new Shaped(shape, VOCABULARY, tensors);
    try (Engine engine = kind().open(weights, EngineOptions.ONE_THREAD);
        Scorer scorer = engine.scorer(1)) {
      return sum(scorer.logProbabilities(batch()));
    }
  }

  /** Along each tensor's own gradient, where the derivative is the gradient's norm. */
  @Test
  default void gradientsMatchNumericDifferences() {
    for (ModelConfig shape : List.of(SHAPE, QWEN3, BIASED)) {
      float[] values = new Initialization(0.3, 0.3, false).draw(shape, VOCABULARY, 5);
      WeightSource weights = new VectorWeights(shape, VOCABULARY, values);
      try (Engine engine = kind().open(weights, EngineOptions.ONE_THREAD);
          Scorer scorer = engine.scorer(1);
          Gradient gradient = engine.gradient()) {
        scorer.addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
        for (Tensor tensor : gradient.tensors().tensors()) {
          float[] direction = new float[tensor.size()];
          gradient.tensors().read(tensor, direction, 0);
          double norm = 0;
          for (float g : direction) {
            norm += (double) g * g;
          }
          norm = Math.sqrt(norm);
          double step = 0.02 / norm;
          double above = sumAt(shape, new MovedTensors(weights, tensor, direction, step));
          double below = sumAt(shape, new MovedTensors(weights, tensor, direction, -step));
          double numeric = (above - below) / (2 * step * norm);
          assertThat(numeric)
              .as("%s of %s", tensor, shape)
              .isCloseTo(norm, within(0.02 * norm + 0.02));
        }
      }
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
        Generator generator = engine.generator(1)) {
      double[] p = probabilities(engine, prompt);
      int[] free = new int[VOCABULARY];
      double mass = 0;
      for (int token = 2; token < 9; token++) {
        mass += p[token];
      }
      for (int i = 0; i < grid; i++) {
        double u = (i + 0.5) / grid;
        free[draw(generator, prompt, new Choice(u, null, 1, 1)).token()]++;
        Draw within = draw(generator, prompt, new Choice(u, allowed, 1, 1));
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
    generator.reset(0);
    return generator.extend(List.of(new Extension(0, prompt)), List.of(choice)).get(0);
  }

  /** An adapter of the projections named. */
  private static Adapter adapter(ModelConfig shape, String... targets) {
    LoraConfig lora = new LoraConfig(3, 6, List.of(targets));
    return new Adapter(lora, lora.initial(shape, 4));
  }

  private static void ascend(Engine engine, Gradient gradient, Optimizer optimizer, int steps) {
    try (Scorer scorer = engine.scorer(1)) {
      for (int i = 0; i < steps; i++) {
        gradient.clear();
        scorer.addGradient(batch(), (k, logPi) -> ones(logPi), gradient);
        gradient.scale(-1);
        optimizer.step(gradient, 1e-2);
      }
    }
  }

  private static double[] scores(Engine engine) {
    try (Scorer scorer = engine.scorer(1)) {
      return Arrays.stream(scorer.logProbabilities(batch()))
          .flatMapToDouble(row -> IntStream.range(0, row.length).mapToDouble(t -> row[t]))
          .toArray();
    }
  }

  @Test
  default void anAdapterStartsAsTheModelBelowAndIsTrainedWithoutChangingIt() {
    for (ModelConfig shape : List.of(SHAPE, QWEN3)) {
      float[] values = new Initialization(0.3, 0.3, false).draw(shape, VOCABULARY, 5);
      WeightSource weights = new VectorWeights(shape, VOCABULARY, values);
      try (Engine base = kind().open(weights, EngineOptions.ONE_THREAD);
          Engine adapted = base.adapted(adapter(shape, "q_proj", "v_proj", "o_proj", "down_proj"));
          Gradient gradient = adapted.gradient();
          Optimizer optimizer = adapted.optimizer(OPTIMIZER)) {
        String before = base.fingerprint();
        double[] start = scores(base);
        assertThat(scores(adapted)).isEqualTo(start);
        assertThat(adapted.fingerprint()).isNotEqualTo(before);
        ascend(adapted, gradient, optimizer, 3);
        assertThat(Arrays.stream(scores(adapted)).sum())
            .isGreaterThan(Arrays.stream(start).sum() + 0.1);
        assertThat(base.fingerprint()).isEqualTo(before);
        assertThat(scores(base)).isEqualTo(start);
        try (Engine merged = kind().open(adapted.weights(), EngineOptions.ONE_THREAD);
            Engine again = base.adapted(adapted.adapter().orElseThrow());
            Engine copy = adapted.copy()) {
          assertThat(again.fingerprint()).isEqualTo(adapted.fingerprint());
          assertThat(copy.fingerprint()).isEqualTo(adapted.fingerprint());
          assertThat(scores(again)).isEqualTo(scores(adapted));
          double[] trained = scores(adapted);
          double[] together = scores(merged);
          for (int i = 0; i < trained.length; i++) {
            assertThat(together[i]).isCloseTo(trained[i], within(2e-3));
          }
        }
      }
    }
  }

  @Test
  default void anAdaptersGradientMatchesNumericDifferences() {
    float[] values = new Initialization(0.3, 0.3, false).draw(QWEN3, VOCABULARY, 5);
    WeightSource weights = new VectorWeights(QWEN3, VOCABULARY, values);
    Adapter start = adapter(QWEN3, "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj");
    try (Engine base = kind().open(weights, EngineOptions.ONE_THREAD);
        Engine first = base.adapted(start);
        Gradient gradient = first.gradient();
        Optimizer optimizer = first.optimizer(OPTIMIZER);
        Scorer scorer = first.scorer(1)) {
      // Away from the start, where B is 0 and A has no gradient.
      ascend(first, gradient, optimizer, 2);
      gradient.clear();
      scorer.addGradient(batch(), (i, logPi) -> ones(logPi), gradient);
      TensorSource at = first.adapter().orElseThrow().tensors();
      for (Tensor tensor : gradient.tensors().tensors()) {
        float[] direction = new float[tensor.size()];
        gradient.tensors().read(tensor, direction, 0);
        double norm = 0;
        for (float g : direction) {
          norm += (double) g * g;
        }
        norm = Math.sqrt(norm);
        double step = 0.02 / norm;
        double[] sums = new double[2];
        for (int side = 0; side < 2; side++) {
          TensorSource moved = new MovedTensors(at, tensor, direction, side == 0 ? step : -step);
          try (Engine there = base.adapted(new Adapter(start.lora(), moved))) {
            sums[side] = Arrays.stream(scores(there)).sum();
          }
        }
        assertThat((sums[0] - sums[1]) / (2 * step * norm))
            .as(tensor.toString())
            .isCloseTo(norm, within(0.02 * norm + 0.02));
      }
    }
  }

  /** Tensors some way along a direction in one of them. */
  record MovedTensors(TensorSource from, Tensor moved, float[] direction, double by)
      implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return from.tensors();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      from.read(tensor, into, offset);
      for (int i = 0; tensor.equals(moved) && i < direction.length; i++) {
        into[offset + i] += (float) (by * direction[i]);
      }
    }
  }
}
