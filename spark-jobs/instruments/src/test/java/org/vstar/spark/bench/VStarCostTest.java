package org.vstar.spark.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class VStarCostTest {

  private static final VStarCost COST =
      new VStarCost(
          new VStarCost.Job(1_000, 10, 3_000, 500, 200),
          new VStarCost.Policy(1e9, 2, 50_000),
          new VStarCost.Machine(100e12, 1e12, 0.5, 32, 2));

  @Test
  void readingIsBoundByOperationsAndWritingByTheMemory() {
    assertThat(COST.readSpeed()).isEqualTo(25_000);
    // 2 GB of weights and 32 · 1,750 tokens of 50 kB, at 500 GB/s: 9.6 ms for 32 tokens.
    assertThat(COST.writtenSpeed()).isEqualTo(32 / 9.6e-3, within(1e-6));
  }

  @Test
  void hoursAndMoneyAreThoseOfAllEpisodes() {
    double hours = 10_000 * (3_000 / 25_000.0 + 500 * 9.6e-3 / 32) / 3600;
    assertThat(COST.machineHours()).isEqualTo(hours, within(1e-9));
    assertThat(COST.hours(10)).isEqualTo(hours / 10, within(1e-9));
    assertThat(COST.money()).isEqualTo(2 * hours, within(1e-9));
    assertThat(COST.bytes()).isEqualTo(2_000_000);
  }
}
