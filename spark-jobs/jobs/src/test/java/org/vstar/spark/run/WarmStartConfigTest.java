package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.vstar.model.engine.OptimizerConfig;

class WarmStartConfigTest {

  private static final OptimizerConfig ADAM =
      new OptimizerConfig(1e-3, 0, 1, 0.9, 0.98, 1e-8, 0, 1);

  @Test
  void oneReplicaOfTheConfigsEngineIsTheDefault() {
    assertThat(warmStart(null).imitation()).isEqualTo("engine");
    assertThat(warmStart(null).replicas()).isEqualTo(1);
  }

  @Test
  void aMomentumOfZeroTurnsMuonOff() {
    assertThat(ADAM.withMuon(0).momentum()).isNull();
    assertThat(ADAM.withMuon(0.9).momentum()).isEqualTo(0.9);
  }

  @Test
  void roundsBetweenCheckpointsAreAtLeastOneAndFiveByDefault() {
    assertThat(warmStart(null).checkpointEvery()).isEqualTo(5);
    assertThatThrownBy(() -> warmStart(0)).hasMessageContaining("'warmStart.checkpointEvery' is 0");
  }

  private static WarmStartConfig warmStart(Integer checkpointEvery) {
    return new WarmStartConfig(null, null, 1, 1, 1, null, null, null, ADAM, null, checkpointEvery);
  }
}
