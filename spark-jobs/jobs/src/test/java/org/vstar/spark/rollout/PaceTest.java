package org.vstar.spark.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {

  @Test
  void whatRemainsFallsWithEveryTurnThoughUnitsEndMinutesApart() {
    Pace pace = new Pace(40);
    assertThat(pace.say(0, 0, 2)).isEqualTo("starting");
    assertThat(pace.say(0, 10, 10)).isEqualTo("10 turns, 1.0 turns/s");
    // A unit of ten rollouts with five turns each, and nothing under way.
    assertThat(pace.say(10, 50, 50)).isEqualTo("50 turns, 1.0 turns/s, 150 s remain");
    assertThat(pace.say(10, 80, 80)).isEqualTo("80 turns, 1.0 turns/s, 120 s remain");
    assertThat(pace.say(10, 95, 95)).isEqualTo("95 turns, 1.0 turns/s, 105 s remain");
    assertThat(pace.say(20, 100, 100)).isEqualTo("100 turns, 1.0 turns/s, 100 s remain");
    assertThat(pace.say(40, 240, 200)).isEqualTo("240 turns, 1.2 turns/s, 0 s remain");
  }

  @Test
  void rolloutsThatWereThereAlreadyTakeNoTime() {
    assertThat(new Pace(4).say(4, 0, 2)).isEqualTo("0 s remain");
  }
}
