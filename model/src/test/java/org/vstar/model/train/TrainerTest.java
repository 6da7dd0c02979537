package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Sampling;

class TrainerTest {

  private static final long SEED = 5;
  private static final String RUN = "run";
  private final Environment shop = SmallShop.environment();
  private final Policy reference = SmallShop.policy(shop, 2);

  @TempDir Path folder;

  private static TrainConfig config(TrainConfig.Kind kind, int threads) {
    OptimizerConfig optimizer = new OptimizerConfig(3e-3, 2, 0.1, 0.9, 0.98, 1e-8, 0.01, 1);
    return new TrainConfig(kind, 1e-3, 0.02, 2, 12, 16, 4, 4, 4, 512, 8, threads, optimizer);
  }

  private Trainer trainer(TrainConfig config, double vStar) {
    Map<String, Double> values = new HashMap<>();
    for (Task task : shop.tasks(Split.TRAIN)) {
      values.put(task.id(), vStar);
    }
    return new Trainer(
        shop, reference.copy(), reference, SmallShop.CONSTRAINED, values, config, SEED);
  }

  private static float[] weights(Trainer trainer) {
    return trainer.policy().transformer().weights();
  }

  @Test
  void aRunThatGoesOnFromACheckpointEndsWithTheSameWeights() {
    for (TrainConfig.Kind kind : TrainConfig.Kind.values()) {
      TrainConfig config = config(kind, 2);
      Trainer whole = trainer(config, 0.1);
      for (int i = 0; i < 5; i++) {
        whole.next();
      }
      Trainer first = trainer(config, 0.1);
      first.next();
      first.next();
      Path saved = Checkpoint.save(folder.resolve(kind.name()), first, SEED, RUN, "table");
      Trainer second = trainer(config, 0.1);
      Checkpoint.State state = Checkpoint.restore(saved, second, RUN);
      assertThat(state.taskCursor()).isEqualTo(32);
      assertThat(state.vStarTable()).isEqualTo("table");
      assertThat(second.step()).isEqualTo(2);
      for (int i = 2; i < 5; i++) {
        second.next();
      }
      assertThat(weights(second)).isEqualTo(weights(whole));
      assertThat(weights(second)).isNotEqualTo(reference.transformer().weights());
    }
  }

  @Test
  void weightsDoNotDependOnTheNumberOfThreads() {
    Trainer one = trainer(config(TrainConfig.Kind.REGRESSION, 1), 0.1);
    Trainer three = trainer(config(TrainConfig.Kind.REGRESSION, 3), 0.1);
    for (int i = 0; i < 2; i++) {
      one.next();
      three.next();
    }
    assertThat(weights(one)).isEqualTo(weights(three));
  }

  @Test
  void theReferenceStaysFrozen() {
    String before = reference.fingerprint();
    trainer(config(TrainConfig.Kind.ADVANTAGE, 1), 0.1).next();
    assertThat(reference.fingerprint()).isEqualTo(before);
  }

  @Test
  void aNonFiniteLossIsSkippedCountedAndReported() {
    Trainer trainer = trainer(config(TrainConfig.Kind.REGRESSION, 1), Double.NaN);
    Trainer.Step step = trainer.next();
    assertThat(step.skipped()).isTrue();
    assertThat(trainer.skipped()).isEqualTo(1);
    assertThat(weights(trainer)).isEqualTo(reference.transformer().weights());
  }

  @Test
  void anEpochTakesEveryTrainTaskOnce() {
    Trainer trainer = trainer(config(TrainConfig.Kind.REGRESSION, 1), 0.1);
    int tasks = shop.tasks(Split.TRAIN).size();
    assertThat(trainer.tasks(0, tasks)).doesNotHaveDuplicates().hasSize(tasks);
    assertThat(trainer.tasks(tasks, tasks))
        .doesNotHaveDuplicates()
        .isNotEqualTo(trainer.tasks(0, tasks));
  }

  @Test
  void aTruncatedCheckpointIsNamedAndTheTrainerIsLeftAlone() throws IOException {
    Trainer trainer = trainer(config(TrainConfig.Kind.REGRESSION, 1), 0.1);
    trainer.next();
    for (String file : List.of("model.safetensors", "optimizer.safetensors", "state.json")) {
      Path saved = Checkpoint.save(folder.resolve(file), trainer, SEED, RUN, "table");
      Path part = saved.resolve(file);
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.truncate(Files.size(part) / 2);
      }
      Trainer fresh = trainer(config(TrainConfig.Kind.REGRESSION, 1), 0.1);
      assertThatThrownBy(() -> Checkpoint.restore(saved, fresh, RUN))
          .isInstanceOf(InputError.class)
          .hasMessageContaining(part.toString())
          .hasMessageContaining("cut short");
      assertThat(fresh.step()).isZero();
      assertThat(weights(fresh)).isEqualTo(reference.transformer().weights());
    }
  }

  @Test
  void aCheckpointOfAnotherRunIsRefused() {
    Trainer trainer = trainer(config(TrainConfig.Kind.REGRESSION, 1), 0.1);
    Path saved = Checkpoint.save(folder, trainer, SEED, RUN, "table");
    assertThatThrownBy(() -> Checkpoint.restore(saved, trainer, "another"))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("other settings, policy or V* table");
  }

  @Test
  void theNewestCheckpointIsTheOneWithMostSteps() {
    assertThat(Checkpoint.latest(folder.resolve("none"))).isEmpty();
    Trainer trainer = trainer(config(TrainConfig.Kind.REGRESSION, 1), 0.1);
    Checkpoint.save(folder, trainer, SEED, RUN, "table");
    trainer.next();
    Path newer = Checkpoint.save(folder, trainer, SEED, RUN, "table");
    assertThat(Checkpoint.latest(folder)).contains(newer);
  }

  @Test
  void aTaskWithoutValueAndSamplingThatIsNotThePolicysAreRefused() {
    TrainConfig config = config(TrainConfig.Kind.REGRESSION, 1);
    assertThatThrownBy(
            () ->
                new Trainer(
                    shop, reference, reference, SmallShop.CONSTRAINED, Map.of(), config, SEED))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("has no V*");
    Sampling greedy = SmallShop.CONSTRAINED.greedy();
    assertThatThrownBy(
            () -> new Trainer(shop, reference, reference, greedy, Map.of(), config, SEED))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("sampling.temperature");
    Sampling cut = new Sampling(1, 0.9, 16, true, true);
    assertThatThrownBy(() -> new Trainer(shop, reference, reference, cut, Map.of(), config, SEED))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("sampling.topP");
  }
}
