package org.vstar.env.webshop.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;

class RewardWeightsTest {

  private static PurchaseReward.Parts purchase(double score) {
    return new PurchaseReward.Parts(score, 1, 1, 1, true, 0, 0, 1, true, true, 1);
  }

  @Test
  void everyPartOfATurnIsPaid() {
    RewardWeights weights = new RewardWeights(1, 0.2, -0.01, -0.1);
    assertThat(weights.of(true, null)).isEqualTo(-0.01);
    assertThat(weights.of(false, null)).isCloseTo(-0.11, within(1e-12));
    assertThat(weights.of(true, purchase(0.8))).isCloseTo(0.15, within(1e-12));
    assertThat(weights.of(true, purchase(1))).isCloseTo(1.19, within(1e-12));
  }

  @Test
  void theOriginalPaysTheScore() {
    assertThat(RewardWeights.ORIGINAL.of(true, purchase(0.75))).isEqualTo(0.75);
    assertThat(RewardWeights.ORIGINAL.of(false, null)).isZero();
  }

  @Test
  void aWeightThatIsNoNumberIsRefused() {
    assertThatThrownBy(() -> new RewardWeights(1, Double.NaN, 0, 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("score");
  }
}
