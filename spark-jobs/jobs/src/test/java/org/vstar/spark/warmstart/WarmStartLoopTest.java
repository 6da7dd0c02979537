package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.TestRun;

class WarmStartLoopTest {

  /** Where a test leaves the fingerprint of what was learned. */
  private static final String FINGERPRINT = "fingerprint";

  @TempDir Path folder;

  /** Learns on the driver, and fails in one round. */
  private record FailingAt(int round, Imitation inner, List<Integer> played) implements Imitation {
    @Override
    public double round(int number) {
      if (number == round) {
        throw new InvalidInputException("the power went out");
      }
      played.add(number);
      return inner.round(number);
    }

    @Override
    public Policy policy() {
      return inner.policy();
    }

    @Override
    public Checkpoint checkpoint(Map<String, String> settings) {
      return inner.checkpoint(settings);
    }

    @Override
    public void restore(Checkpoint checkpoint) {
      inner.restore(checkpoint);
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  private TestRun run(String name, String... settings) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "warmStart.rounds=7",
                "warmStart.checkpointEvery=2",
                "warmStart.optimizer.learningRate=0.01"));
    all.addAll(List.of(settings));
    return new TestRun(folder.resolve(name), all.toArray(String[]::new)).withReference(4);
  }

  /** Goes through the rounds; gives those that were played. */
  private static List<Integer> learn(TestRun run, int failing) throws Exception {
    List<Integer> played = new ArrayList<>();
    RunStore store = run.folder().store();
    Policy start = run.reference();
    DemonstrationBatches batches =
        DemonstrationBatches.of(
            run.open().demonstrations(), start, run.environment(), run.config());
    Policy learned =
        WarmStartLoop.of(store, run.config(), run.environment(), batches, start)
            .from(
                start,
                EngineOptions.ONE_THREAD,
                policy ->
                    new FailingAt(
                        failing,
                        new DriverImitation(
                            policy,
                            WarmStartJob.imitationConfig(run.config()),
                            batches.minibatches(run.config())),
                        played));
    store.publish(
        FINGERPRINT, out -> out.write(learned.fingerprint().getBytes(StandardCharsets.UTF_8)));
    return played;
  }

  private static String learned(TestRun run) throws Exception {
    try (InputStream in = run.folder().store().read(FINGERPRINT)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void oneThatWasCutShortGoesOnFromItsCheckpointAndEndsWithTheSamePolicy() throws Exception {
    TestRun cut = run("cut");
    assertThatThrownBy(() -> learn(cut, 5)).hasMessage("the power went out");
    assertThat(Checkpoint.all(cut.folder().store(), WarmStartLoop.FOLDER))
        .as("after 2 and 4 rounds of 2 minibatches")
        .containsExactly(
            WarmStartLoop.FOLDER + "/step-000008", WarmStartLoop.FOLDER + "/step-000004");
    assertThat(learn(cut, -1)).containsExactly(4, 5, 6);
    TestRun whole = run("whole");
    assertThat(learn(whole, -1)).containsExactly(0, 1, 2, 3, 4, 5, 6);
    assertThat(learned(cut)).isEqualTo(learned(whole));
    assertThat(learned(cut)).isNotEqualTo(whole.reference().fingerprint());
  }

  @Test
  void onlyTheNewestTwoCheckpointsAreKeptAndNoneIsTakenAfterTheLastRound() throws Exception {
    TestRun run = run("run", "warmStart.rounds=8");
    learn(run, -1);
    assertThat(Checkpoint.all(run.folder().store(), WarmStartLoop.FOLDER))
        .containsExactly(
            WarmStartLoop.FOLDER + "/step-000012", WarmStartLoop.FOLDER + "/step-000008");
  }

  @Test
  void otherSettingsAreRefusedByNameWithBothValues() throws Exception {
    assertThatThrownBy(() -> learn(run("run"), 5)).hasMessage("the power went out");
    assertRefused("warmStart.rounds was 7 and is 9 now", "warmStart.rounds=9");
    assertRefused("seed was 7 and is 8 now", "seed=8");
    assertRefused("demonstrations was ", "environment.demonstrator.badQuery=0.1");
    assertRefused("start was ", "model.feedForward=48");
    assertRefused("sampling was ", "sampling.maxTokensPerTurn=13");
  }

  private void assertRefused(String message, String setting) {
    assertThatThrownBy(() -> learn(run("run", setting), -1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("use another --out, or the run's own settings");
  }
}
