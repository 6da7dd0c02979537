package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vstar.env.AnswerFormat;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Turn;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Demonstrations;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.TestRun;
import org.vstar.spark.store.Store;

class WarmStartJobIT {

  @TempDir Path folder;

  private TestRun trained(String master, String out, String... settings) {
    SparkSession spark = TestRun.session(master);
    try {
      TestRun run = new TestRun(folder.resolve(out), settings);
      assertThat(run.run(new WarmStartJob())).as(run.errors()).isZero();
      return run;
    } finally {
      spark.stop();
    }
  }

  /**
   * With Adam, with Muon, whose running means are averaged too, and with the engine's own steps.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "warmStart.batch=4",
        "warmStart.optimizer.momentum=0.95",
        "warmStart.imitation=engine"
      })
  void thePolicyIsTheSameInOneProcessAndOnTwoExecutorProcesses(String setting) {
    String twoRounds = "warmStart.rounds=2";
    String local = trained("local[2]", "local", twoRounds, setting).reference().fingerprint();
    String cluster =
        trained("local-cluster[2,1,1024]", "cluster", twoRounds, setting).reference().fingerprint();
    assertThat(cluster).isEqualTo(local);
  }

  @Test
  void imitationMakesDemonstrationsLikelier() {
    TestRun brief =
        trained(
            "local[2]",
            "brief",
            "warmStart.batchesPerRound=1",
            "warmStart.heldOutDemonstrations=10");
    TestRun longer =
        trained("local[2]", "longer", "warmStart.batchesPerRound=40", "warmStart.batch=8");
    assertThat(loss(longer)).isLessThan(0.7 * loss(brief));
  }

  /** Mean −ln π of the demonstrator's tokens in episodes that were not trained on. */
  private static double loss(TestRun run) {
    Policy policy = run.reference();
    DemonstrationSource source = run.open().demonstrations();
    List<Sequence> sequences = new ArrayList<>();
    for (List<Turn> episode : source.batch(99, 20)) {
      sequences.addAll(
          Demonstrations.sequences(
              episode,
              policy.chat(),
              policy.tokenizer(),
              AnswerFormat.ANSWER,
              run.config().sampling(),
              512));
    }
    double sum = 0;
    int tokens = 0;
    for (float[] logProbabilities : policy.engine().scorer(1).logProbabilities(sequences)) {
      for (float p : logProbabilities) {
        sum -= p;
        tokens++;
      }
    }
    return sum / tokens;
  }

  /** Muon's running means have to come back too. */
  @Test
  void oneThatWasKilledGoesOnAndEndsWithTheSamePolicy() throws Exception {
    String[] settings = {
      "warmStart.rounds=12", "warmStart.checkpointEvery=1", "warmStart.optimizer.momentum=0.95"
    };
    TestRun killed = new TestRun(folder.resolve("killed"), settings);
    Store store = killed.folder().store();
    Process process = killed.start(WarmStartJob.class);
    while (process.isAlive() && Checkpoint.all(store, WarmStartLoop.FOLDER).isEmpty()) {
      Thread.sleep(20);
    }
    process.destroyForcibly().waitFor();
    assertThat(Checkpoint.all(store, WarmStartLoop.FOLDER)).as("killed midway").isNotEmpty();
    assertThat(PolicyFiles.exist(store, PolicyFiles.REFERENCE)).isFalse();

    assertThat(killed.run(new WarmStartJob())).isEqualTo(2);
    assertThat(killed.errors())
        .contains("that has not ended: --resume goes on with it; delete it to begin anew");
    int before = killed.log().size();
    assertThat(killed.start(WarmStartJob.class, "--resume").waitFor()).isZero();
    List<String> resumed = killed.log().subList(before, killed.log().size());
    assertThat(resumed)
        .anyMatch(line -> line.startsWith("warm start: goes on after round "))
        .noneMatch(line -> line.startsWith("warm start: round 1 of 12,"))
        .anyMatch(line -> line.startsWith("warm start: round 12 of 12,"));
    String policy = killed.reference().fingerprint();
    assertThat(policy).isEqualTo(trained("local[2]", "whole", settings).reference().fingerprint());
    try (Stream<Path> files = Files.walk(killed.path(WarmStartLoop.FOLDER))) {
      assertThat(files.filter(Files::isRegularFile)).as("that nobody needs").isEmpty();
    }

    assertThat(killed.run(new WarmStartJob(), "--resume"))
        .as("one that has ended: %s", killed.errors())
        .isZero();
    assertThat(killed.reference().fingerprint()).isEqualTo(policy);
  }

  @Test
  void aReferencePolicyIsNotWrittenOver() throws IOException {
    TestRun run = new TestRun(folder.resolve("run")).withReference(4);
    String before = run.reference().fingerprint();
    assertThat(run.run(new WarmStartJob())).isEqualTo(2);
    assertThat(run.errors()).contains("there is a reference policy in");
    assertThat(run.reference().fingerprint()).isEqualTo(before);
  }
}
