package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.vstar.common.Json;
import org.vstar.model.engine.OptimizerConfig;

class WarmStartConfigTest {

  private static final OptimizerConfig ADAM =
      new OptimizerConfig(1e-3, 0, 1, 0.9, 0.98, 1e-8, 0, 1);

  @Test
  void oneReplicaOfTheConfigsEngineIsTheDefault() throws Exception {
    String config =
        "{\"rounds\": 1, \"batchesPerRound\": 1, \"batch\": 1, \"optimizer\": {\"learningRate\": 1}}";
    WarmStartConfig read = Json.MAPPER.readValue(config, WarmStartConfig.class);
    assertThat(read.imitation()).isEqualTo("engine");
    assertThat(read.replicas()).isEqualTo(1);
    assertThat(read.heldOutDemonstrations()).isZero();
    assertThat(read.schedule().checkpointEvery()).isEqualTo(5);
    assertThat(read.optimizer().adamBeta2()).isEqualTo(0.98);
  }

  @Test
  void aMomentumOfZeroTurnsMuonOff() {
    assertThat(ADAM.withMuon(0).muon()).isFalse();
    assertThat(ADAM.withMuon(0.9).momentum()).isEqualTo(0.9);
  }

  @Test
  void roundsBetweenCheckpointsAreAtLeastOne() {
    assertThatThrownBy(() -> warmStart(0)).hasMessageContaining("'warmStart.checkpointEvery' is 0");
  }

  private static WarmStartConfig warmStart(int checkpointEvery) {
    return new WarmStartConfig(
        "engine",
        1,
        new WarmStartConfig.Schedule(1, 1, 1, checkpointEvery),
        null,
        null,
        null,
        ADAM,
        0);
  }
}
