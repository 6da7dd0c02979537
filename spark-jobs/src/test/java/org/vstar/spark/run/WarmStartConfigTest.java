package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.OptimizerConfig;

class WarmStartConfigTest {

  private static final OptimizerConfig ADAM =
      new OptimizerConfig(1e-3, 0, 1, 0.9, 0.98, 1e-8, 0, 1);

  @Test
  void muonIsRefusedWhereAHuggingFacePolicyLearns() {
    assertThatThrownBy(
            () -> new WarmStartConfig(null, 1, 1, 1, null, null, null, ADAM, 0.95, null, null))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'warmStart.muon' is 0.95")
        .hasMessageContaining("no such key with huggingFace");
  }

  @Test
  void aMomentumOfZeroTurnsMuonOff() {
    assertThat(new WarmStartConfig(2, 1, 1, 1, null, null, null, ADAM, 0.0, null, null).muon())
        .isNull();
  }

  @Test
  void roundsBetweenCheckpointsAreAtLeastOneAndFiveByDefault() {
    assertThat(warmStart(null).checkpointEvery()).isEqualTo(5);
    assertThatThrownBy(() -> warmStart(0)).hasMessageContaining("'warmStart.checkpointEvery' is 0");
  }

  private static WarmStartConfig warmStart(Integer checkpointEvery) {
    return new WarmStartConfig(2, 1, 1, 1, null, null, null, ADAM, null, null, checkpointEvery);
  }
}
