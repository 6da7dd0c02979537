package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vstar.common.ConfigFile;
import org.vstar.common.FolderStore;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.objective.Objective;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.model.policy.Policy;

/** Every method in the trainer, with several updates a step and dynamic sampling. */
class MethodsTest {

  private static final long SEED = 5;
  private static final Map<String, String> RUN = new TreeMap<>(Map.of("seed", "5"));

  @TempDir private Path folder;
  private final Environment shop = SmallShop.environment();
  private final Map<String, TaskValue> values = new HashMap<>();
  private Policy reference;

  private record Config(Map<String, Objective> objectives) {}

  @BeforeEach
  void prepare() {
    reference = SmallShop.policy(shop, 2);
    shop.tasks(Split.TRAIN).forEach(task -> values.put(task.id(), new TaskValue(0.2, 0.1, 0.3)));
  }

  static Iterable<String> kinds() {
    return ObjectiveKind.all().keySet();
  }

  private Objective objective(String kind) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("config.yaml"), "objectives: {one: {kind: '" + kind + "'}}");
    return new ConfigFile()
        .with(ObjectiveKind.all())
        .read(file, Map.of(), Config.class)
        .objectives()
        .get("one");
  }

  private Trainer trainer(Objective objective, Policy start, int draws) {
    return trainer(objective, start, draws, "uniform");
  }

  private Trainer trainer(Objective objective, Policy start, int draws, String tasks) {
    TrainConfig config =
        new TrainConfig(
            new TrainConfig.Target("one", "vstar", null),
            new TrainConfig.Schedule(4, 4, 4, 4, 3),
            new TrainConfig.Batch(4, 512, 8, 2, 2, 2),
            new TrainConfig.Selection(tasks, 1, draws),
            new TrainConfig.Limits(0.5, 1.05),
            new OptimizerConfig(1e-3, 2, 0.1, 0.9, 0.98, 1e-8, 0.01, 1),
            null);
    return new Trainer(
        shop, start, reference, SmallShop.CONSTRAINED, values, objective, config, SEED);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aRunThatWasStoppedAndResumedHasTheSameWeights(String kind) throws IOException {
    Objective objective = objective(kind);
    Trainer whole = trainer(objective, reference.copy(), 2);
    whole.next();
    whole.next();
    Trainer first = trainer(objective, reference.copy(), 2);
    first.next();
    FolderStore store = new FolderStore(folder.resolve("run"));
    String name = first.checkpoint(RUN).save(store, "checkpoints");
    Checkpoint saved = Checkpoint.read(store, name, RUN, reference, EngineOptions.ONE_THREAD);
    Trainer second = trainer(objective, saved.policy(), 2);
    second.restore(saved);
    second.next();
    assertThat(second.cursor()).isEqualTo(whole.cursor());
    assertThat(SmallShop.weights(second.policy())).isEqualTo(SmallShop.weights(whole.policy()));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aStepIsTakenAndAllThatIsToldOfItIsFinite(String kind) throws IOException {
    StepReport step = trainer(objective(kind), reference.copy(), 1).next();
    assertThat(step.update().skipped()).isFalse();
    assertThat(Double.isNaN(step.divergence().kl())).isEqualTo(!objective(kind).readsReference());
    assertThat(step.scalars().values()).allMatch(Double::isFinite);
  }

  @Test
  void aMethodThatReadsNoBaselineTrainsOnTasksThatNobodyMeasured() throws IOException {
    values.replaceAll((task, value) -> TaskValue.UNKNOWN);
    for (String kind : kinds()) {
      StepReport step = trainer(objective(kind), reference.copy(), 1).next();
      assertThat(step.update().skipped()).as(kind).isEqualTo(objective(kind).readsBaselines());
    }
  }

  private List<String> takeSteps(Trainer trainer, int steps) {
    List<String> tasks = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      trainer.next();
      trainer.trajectories().forEach(own -> tasks.add(own.trajectory().task().id()));
    }
    return tasks;
  }

  @Test
  void spoGoesOnWithWhatItKnowsOfTasksAndTakesTheSameOnes() throws IOException {
    Objective spo = objective("spo");
    Trainer whole = trainer(spo, reference.copy(), 1, "tracked");
    List<String> tasks = takeSteps(whole, 12);
    assertThat(new HashSet<>(tasks)).hasSizeLessThan(tasks.size());
    Trainer first = trainer(spo, reference.copy(), 1, "tracked");
    takeSteps(first, 9);
    FolderStore store = new FolderStore(folder.resolve("run"));
    String name = first.checkpoint(RUN).save(store, "checkpoints");
    Checkpoint saved = Checkpoint.read(store, name, RUN, reference, EngineOptions.ONE_THREAD);
    Trainer second = trainer(spo, saved.policy(), 1, "tracked");
    second.restore(saved);
    assertThat(takeSteps(second, 3)).isEqualTo(tasks.subList(36, 48));
    assertThat(SmallShop.weights(second.policy())).isEqualTo(SmallShop.weights(whole.policy()));
    Trainer refreshed = trainer(spo, saved.policy(), 1, "tracked");
    refreshed.restore(saved);
    refreshed.refresh(reference, values);
    assertThat(refreshed.checkpoint(RUN).estimator().orElseThrow())
        .isEqualTo(first.checkpoint(RUN).estimator().orElseThrow());
  }
}
