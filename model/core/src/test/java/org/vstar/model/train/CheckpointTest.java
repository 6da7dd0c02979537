package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.objective.AStarPoRegression;
import org.vstar.model.policy.Policy;

class CheckpointTest {

  private static final long SEED = 5;
  private static final Map<String, String> RUN = Map.of("seed", "5", "train.slots", "8");
  private static final TrainConfig CONFIG =
      new TrainConfig(
          new TrainConfig.Target("regression", "vstar", null),
          new TrainConfig.Schedule(12, 4, 4, 4, 3),
          new TrainConfig.Batch(16, 512, 8, 1),
          new TrainConfig.Selection("uniform", 1),
          new TrainConfig.Limits(0.5, 1.05),
          new OptimizerConfig(3e-3, 2, 0.1, 0.9, 0.98, 1e-8, 0.01, 1),
          null);

  private RunStore store;
  private Trainer trainer;
  private Policy reference;

  @BeforeEach
  void open(@TempDir Path folder) {
    store = new FolderStore(folder);
    Environment shop = SmallShop.environment();
    reference = SmallShop.policy(shop, 2);
    Map<String, TaskValue> values =
        shop.tasks(Split.TRAIN).stream()
            .collect(Collectors.toMap(Task::id, task -> new TaskValue(0.1, 0.1, 0)));
    trainer =
        new Trainer(
            shop,
            reference.copy(),
            reference,
            SmallShop.CONSTRAINED,
            values,
            new AStarPoRegression(1e-3, 0.0),
            CONFIG,
            SEED);
  }

  private Checkpoint read(String name, Map<String, String> run) {
    return Checkpoint.read(store, name, run, reference, EngineOptions.ONE_THREAD);
  }

  @Test
  void aTruncatedCheckpointIsNamed() throws IOException {
    trainer.next();
    for (String file : List.of("model.safetensors", "optimizer.safetensors", "state.json")) {
      String saved = trainer.checkpoint(RUN).save(store, file);
      Path part = Path.of(store.location(saved + "/" + file));
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.truncate(Files.size(part) / 2);
      }
      assertThatThrownBy(() -> read(saved, RUN))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining(part.toString())
          .hasMessageContaining("cut short");
    }
  }

  @Test
  void aCheckpointOfOtherSettingsIsRefusedByNameWithBothValues() {
    String saved = trainer.checkpoint(RUN).save(store, "run");
    assertThatThrownBy(() -> read(saved, Map.of("seed", "6", "train.slots", "8")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("(seed was 5 and is 6 now)");
    assertThatThrownBy(() -> read(saved, Map.of("train.slots", "8", "more", "1")))
        .hasMessageContaining("(more was null and is 1 now; seed was 5 and is null now)");
  }

  @Test
  void aCheckpointOfAnOlderFormatIsRefused() throws IOException {
    String saved = trainer.checkpoint(RUN).save(store, "run");
    Path state = Path.of(store.location(saved + "/state.json"));
    Files.writeString(state, Files.readString(state).replaceAll("\"version\" : 4,", ""));
    assertThatThrownBy(() -> read(saved, RUN))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("written by Vstar 0.1 in format 1, this Vstar reads format 4");
  }

  @Test
  void aChangedDigitOfTheStateIsNoticed() throws IOException {
    trainer.next();
    String saved = trainer.checkpoint(RUN).save(store, "run");
    Path state = Path.of(store.location(saved + "/state.json"));
    String text = Files.readString(state);
    for (String key : List.of("step", "steps", "skipped", "optimizerSteps", "taskCursor")) {
      Files.writeString(state, text.replaceAll("(\"" + key + "\" : )\\d+", "$1" + 3));
      assertThatThrownBy(() -> read(saved, RUN)).hasMessageContaining("state.json was changed");
    }
  }

  private Optional<Checkpoint> newest(List<String> told) {
    return Checkpoint.newest(store, "run", RUN, reference, EngineOptions.ONE_THREAD, told::add);
  }

  @Test
  void theNewestCheckpointIsTheOneWithMostStepsThatIsWhole() throws IOException {
    assertThat(newest(new ArrayList<>())).isEmpty();
    String older = trainer.checkpoint(RUN).save(store, "run");
    trainer.next();
    String newer = trainer.checkpoint(RUN).save(store, "run");
    store.publish("run/step-000099/model.safetensors", out -> out.write(7));
    assertThat(Checkpoint.all(store, "run")).containsExactly(newer, older);
    assertThat(newest(new ArrayList<>()).orElseThrow().state().step()).isEqualTo(1);
  }

  @Test
  void inThePlaceOfADamagedCheckpointTheOneBeforeIsUsedAndThatIsSaid() throws IOException {
    List<String> saved = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      trainer.next();
      saved.add(trainer.checkpoint(RUN).save(store, "run"));
    }
    store.publish(saved.get(2) + "/model.safetensors", out -> out.write(7));
    store.delete(saved.get(1) + "/optimizer.safetensors");
    List<String> told = new ArrayList<>();
    assertThat(newest(told).orElseThrow().state().step()).isEqualTo(1);
    assertThat(told).hasSize(2);
    assertThat(told.get(0)).contains(saved.get(2) + "/model.safetensors was cut short or changed");
    assertThat(told.get(1)).contains(saved.get(1) + "/optimizer.safetensors is missing");
    store.publish(saved.get(0) + "/state.json", out -> out.write('{'));
    assertThatThrownBy(() -> newest(told))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(told.get(0));
  }

  @Test
  void onlyTheNewestCheckpointsAreKept() throws IOException {
    store.publish("run/step-000001/model.safetensors", out -> out.write(7));
    for (int i = 0; i < 4; i++) {
      trainer.next();
      trainer.next();
      trainer.checkpoint(RUN).save(store, "run");
      store.publish("run/step-000099/model.safetensors", out -> out.write(7));
      Checkpoint.prune(store, "run", 2);
    }
    assertThat(Checkpoint.all(store, "run")).containsExactly("run/step-000008", "run/step-000006");
    assertThat(store.list("run/").stream().map(name -> name.split("/")[1]).distinct())
        .containsExactly("step-000006", "step-000008", "step-000099");
  }

  @Test
  void allCheckpointsAreDeletedAndWhatIsLeftOfAnyButNothingElse() throws IOException {
    trainer.checkpoint(RUN).save(store, "run");
    store.publish("run/step-000099/model.safetensors", out -> out.write(7));
    store.publish("run/metrics.jsonl", out -> out.write(7));
    Checkpoint.deleteAll(store, "run");
    assertThat(store.list("run/")).containsExactly("run/metrics.jsonl");
  }
}
