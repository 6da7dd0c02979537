package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.imitation.ImitationKind;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.weights.NamedTensors;
import org.vstar.spark.TestRun;

class ReplicaImitationIT {

  private static final int ROUNDS = 4;

  @TempDir Path folder;

  private TestRun run(String name, String... settings) throws IOException {
    String[] all = {
      "warmStart.imitation=engine",
      "warmStart.replicas=3",
      "warmStart.rounds=" + ROUNDS,
      "warmStart.batchesPerRound=2",
      "warmStart.optimizer.momentum=0.95"
    };
    String[] joined = java.util.Arrays.copyOf(all, all.length + settings.length);
    System.arraycopy(settings, 0, joined, all.length, settings.length);
    return new TestRun(folder.resolve(name), joined).withReference(4);
  }

  private static Imitation imitation(TestRun run, Policy start) throws IOException {
    DemonstrationBatches batches =
        DemonstrationBatches.of(
            run.open().demonstrations(), start, run.environment(), run.config());
    return ImitationKind.of(run.config().policy().warmStart().imitation())
        .start(
            start, WarmStartJob.imitationConfig(run.config()), batches.minibatches(run.config()));
  }

  private static float[] weights(Policy policy) {
    return NamedTensors.copyOf(policy.engine().weights()).values();
  }

  private static float[] trained(TestRun run, String master) throws IOException {
    SparkSession spark = TestRun.session(master);
    try (Imitation imitation = imitation(run, run.reference())) {
      for (int round = 0; round < ROUNDS; round++) {
        imitation.round(round);
      }
      return weights(imitation.policy());
    } finally {
      spark.stop();
    }
  }

  @Test
  void threeReplicasGiveTheSameWeightsOnOneThreadAndOnTwoAndAfterACheckpoint() throws IOException {
    TestRun run = run("run");
    float[] onOne = trained(run, "local[1]");
    assertThat(trained(run, "local[2]")).isEqualTo(onOne);
    assertThat(onOne).isNotEqualTo(weights(run.reference()));

    SparkSession spark = TestRun.session("local[2]");
    try {
      Checkpoint half;
      try (Imitation first = imitation(run, run.reference())) {
        first.round(0);
        first.round(1);
        half = first.checkpoint(Map.of());
        assertThat(half.state().step()).isEqualTo(4);
      }
      try (Imitation second = imitation(run, half.policy())) {
        second.restore(half);
        second.round(2);
        second.round(3);
        assertThat(weights(second.policy())).isEqualTo(onOne);
      }
    } finally {
      spark.stop();
    }
  }

  /** Its layer and updater are ours, its averaging is its own. */
  @Test
  void deeplearning4jTrainsTheSamePolicy() throws IOException {
    assumeFalse(TestRun.SPARK4, "Deeplearning4j has no module for Spark 4");
    float[] engine = trained(run("engine", "warmStart.replicas=2"), "local[2]");
    float[] dl4j =
        trained(run("dl4j", "warmStart.replicas=2", "warmStart.imitation=dl4j"), "local[2]");
    for (int i = 0; i < engine.length; i++) {
      assertThat(dl4j[i]).as("weight %d", i).isCloseTo(engine[i], within(1e-4f));
    }
  }
}
