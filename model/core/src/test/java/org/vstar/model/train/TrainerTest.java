package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.objective.AStarPoPolicyGradient;
import org.vstar.model.objective.AStarPoRegression;
import org.vstar.model.objective.Objective;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.rollout.Rollouts;

class TrainerTest {

  private static final long SEED = 5;
  private static final Map<String, String> RUN = Map.of("seed", "5");
  private final Environment shop = SmallShop.environment();
  private final Policy reference = SmallShop.policy(shop, 2);

  private RunStore store;

  @BeforeEach
  void open(@TempDir Path folder) {
    store = new FolderStore(folder);
  }

  private static final Objective REGRESSION = new AStarPoRegression(1e-3, 0.0);
  private static final Objective POLICY_GRADIENT = new AStarPoPolicyGradient(1e-3, 0.02, 2, 0.0);
  private static final OptimizerConfig OPTIMIZER =
      new OptimizerConfig(3e-3, 2, 0.1, 0.9, 0.98, 1e-8, 0.01, 1);
  private static final TrainConfig CONFIG = against("vstar");

  private Map<String, TaskValue> values(double vStar) {
    Map<String, TaskValue> values = new HashMap<>();
    for (Task task : shop.tasks(Split.TRAIN)) {
      values.put(task.id(), new TaskValue(vStar, vStar, 0));
    }
    return values;
  }

  private Trainer trainer(Objective objective, Policy start, double vStar) {
    return new Trainer(
        shop, start, reference, SmallShop.CONSTRAINED, values(vStar), objective, CONFIG, SEED);
  }

  private Trainer trainer(Objective objective, double vStar) {
    return trainer(objective, reference.copy(), vStar);
  }

  private static float[] weights(Trainer trainer) {
    return SmallShop.weights(trainer.policy());
  }

  private Checkpoint read(String name, Map<String, String> run) {
    return Checkpoint.read(store, name, run, reference, EngineOptions.ONE_THREAD);
  }

  /** How often updates are made from each task. */
  private static Map<String, Integer> timesTrained(Trainer trainer, int steps) {
    Map<String, Integer> times = new TreeMap<>();
    for (int i = 0; i < steps; i++) {
      trainer.next();
      trainer
          .trajectories()
          .forEach(weighed -> times.merge(weighed.trajectory().task().id(), 1, Integer::sum));
    }
    return times;
  }

  @Test
  void aRunThatGoesOnFromACheckpointTrainsOnEachTaskAsOftenAndEndsWithTheSameWeights() {
    for (Objective objective : List.of(REGRESSION, POLICY_GRADIENT)) {
      Trainer whole = trainer(objective, 0.1);
      Map<String, Integer> wholeTimes = timesTrained(whole, 5);
      Trainer first = trainer(objective, 0.1);
      Map<String, Integer> times = timesTrained(first, 2);
      String name = first.checkpoint(RUN).save(store, objective.getClass().getName());
      Checkpoint saved = read(name, RUN);
      assertThat(saved.state().taskCursor()).isEqualTo(32);
      assertThat(saved.state().steps()).isEqualTo(12);
      Trainer second = trainer(objective, saved.policy(), 0.1);
      second.restore(saved);
      assertThat(second.step()).isEqualTo(2);
      timesTrained(second, 3).forEach((task, more) -> times.merge(task, more, Integer::sum));
      assertThat(times).isEqualTo(wholeTimes);
      assertThat(weights(second)).isEqualTo(weights(whole));
      assertThat(weights(second)).isNotEqualTo(SmallShop.weights(reference));
    }
  }

  @Test
  void returnsAreHeldAgainstWhatTheConfigNames() {
    Map<String, TaskValue> values = new HashMap<>();
    shop.tasks(Split.TRAIN).forEach(task -> values.put(task.id(), new TaskValue(0.7, 0.3, 0.1)));
    Map.of("vstar", 0.7, "mean", 0.3, "zero", 0.0)
        .forEach(
            (word, baseline) -> {
              Trainer trainer =
                  new Trainer(
                      shop,
                      reference.copy(),
                      reference,
                      SmallShop.CONSTRAINED,
                      values,
                      REGRESSION,
                      against(word),
                      SEED);
              assertThat(trainer.next().rollouts().vStar()).isCloseTo(0.7, within(1e-9));
              for (Trainer.Weighed w : trainer.trajectories()) {
                assertThat(w.advantage())
                    .isCloseTo(w.trajectory().episodeReturn() - baseline, within(1e-9));
              }
            });
    assertThatThrownBy(() -> against("median"))
        .hasMessageContaining("'train.baseline' is 'median', expected vstar, mean or zero");
  }

  private static TrainConfig against(String baseline) {
    return new TrainConfig(
        new TrainConfig.Target("regression", baseline, null),
        new TrainConfig.Schedule(12, 4, 4, 4, 3),
        new TrainConfig.Batch(16, 512, 8, 2),
        new TrainConfig.Selection("uniform", 1),
        new TrainConfig.Limits(0.5, 1.05),
        OPTIMIZER,
        null);
  }

  @Test
  void aRefreshedTrainerMeasuresAgainstItsNewReferenceAndItsNewValues() {
    Trainer trainer = trainer(REGRESSION, 0.1);
    for (int i = 0; i < 3; i++) {
      trainer.next();
    }
    Policy then = trainer.policy().copy();
    trainer.refresh(then, values(0.7));
    StepReport first = trainer.next();
    assertThat(first.step()).isEqualTo(3);
    assertThat(first.divergence().kl()).as("ln π/π_ref where both are one policy").isZero();
    assertThat(first.rollouts().vStar()).isCloseTo(0.7, within(1e-9));
    assertThat(trainer.next().divergence().kl()).isNotZero();
    assertThat(SmallShop.weights(then)).isNotEqualTo(weights(trainer));
    assertThatThrownBy(() -> trainer.refresh(then, Map.of()))
        .hasMessageContaining("no train task has a V*");
  }

  /** An engine whose sampler says of half its sequences that their tokens were less likely. */
  private static Engine shifted(Engine engine, float by) {
    return (Engine)
        Proxy.newProxyInstance(
            Engine.class.getClassLoader(),
            new Class<?>[] {Engine.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("logProbTolerance")) {
                return 1.0;
              }
              Object result = method.invoke(engine, arguments);
              return result instanceof Generator own ? new Shifted(own, by) : result;
            });
  }

  private record Shifted(Generator own, float by) implements Generator {
    @Override
    public void reset(int slot) {
      own.reset(slot);
    }

    @Override
    public List<Draw> extend(List<Extension> extensions, List<Choice> choices) {
      List<Draw> draws = own.extend(extensions, choices);
      List<Draw> said = new ArrayList<>();
      for (int i = 0; i < draws.size(); i++) {
        float shift = extensions.get(i).slot() % 2 == 0 ? by : 0;
        said.add(new Draw(draws.get(i).token(), draws.get(i).logProbability() - shift));
      }
      return said;
    }

    @Override
    public void close() {
      own.close();
    }
  }

  @Test
  void trajectoriesWhoseSampledProbabilitiesAreFarFromTheScoredOnesDoNotTrain() {
    for (float by : new float[] {0.001f, 0.2f}) {
      Policy copy = reference.copy();
      Policy start = new Policy(shifted(copy.engine(), by), copy.tokenizer(), copy.chat());
      StepReport step = trainer(REGRESSION, start, 0.1).next();
      assertThat(step.divergence().logProbGap()).isCloseTo(by, within(1e-5));
      if (by < Math.log(CONFIG.limits().maxSampleRatio())) {
        assertThat(step.update().masked()).isZero();
      } else {
        assertThat(step.update().masked()).isBetween(1, CONFIG.batch().tasksPerStep() - 1);
      }
      assertThat(step.update().gradientNorm()).isPositive();
    }
  }

  @Test
  void weightsDoNotDependOnTheNumberOfThreads() {
    List<float[]> trained = new ArrayList<>();
    for (int threads : new int[] {1, 3}) {
      EngineOptions options = new EngineOptions(threads, 512);
      Policy start = SmallShop.policy(shop, 2, SmallShop.SHAPE.context(), options);
      Trainer trainer = trainer(REGRESSION, start, 0.1);
      trainer.next();
      trainer.next();
      trained.add(weights(trainer));
    }
    assertThat(trained.get(0)).isEqualTo(trained.get(1));
  }

  @Test
  void sampledLogProbabilitiesAreThoseThatTrainingScores() {
    Trainer trainer = trainer(REGRESSION, 0.1);
    trainer.next();
    assertThat(trainer.next().divergence().logProbGap()).isZero();
  }

  @Test
  void anEpisodeOfAnEarlierVersionOfThePolicyIsRefused() {
    Trainer trainer = trainer(REGRESSION, 0.1);
    RolloutWorkers stale =
        (policy, version, sampling, requests) ->
            new Rollouts(shop, policy, sampling).run(requests, 4, 1);
    trainer.next(stale);
    float[] weights = weights(trainer);
    assertThatThrownBy(() -> trainer.next(stale))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was played by version 0 of the policy, expected 1");
    assertThat(weights(trainer)).isEqualTo(weights);
  }

  @Test
  void theReferenceStaysFrozen() {
    String before = reference.fingerprint();
    trainer(POLICY_GRADIENT, 0.1).next();
    assertThat(reference.fingerprint()).isEqualTo(before);
  }

  @Test
  void aNonFiniteLossIsSkippedCountedAndReported() {
    Trainer trainer = trainer(REGRESSION, Double.NaN);
    StepReport step = trainer.next();
    assertThat(step.update().skipped()).isTrue();
    assertThat(trainer.skipped()).isEqualTo(1);
    assertThat(weights(trainer)).isEqualTo(SmallShop.weights(reference));
  }

  @Test
  void aTaskWithoutValueAndSamplingThatIsNotThePolicysAreRefused() {
    assertRefused(SmallShop.CONSTRAINED, Map.of(), "no train task has a V*");
    assertRefused(SmallShop.CONSTRAINED.greedy(), values(0.1), "sampling.temperature");
    assertRefused(new SamplingConfig(1, 0.9, 16, true, true), values(0.1), "sampling.topP");
  }

  private void assertRefused(
      SamplingConfig sampling, Map<String, TaskValue> vStar, String message) {
    assertThatThrownBy(
            () ->
                new Trainer(shop, reference, reference, sampling, vStar, REGRESSION, CONFIG, SEED))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
  }
}
