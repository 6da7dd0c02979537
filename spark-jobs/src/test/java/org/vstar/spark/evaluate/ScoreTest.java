package org.vstar.spark.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.Answer;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;

class ScoreTest {

  /** Published values: Brown, Cai and DasGupta's formula, as R's prop.test without correction. */
  @Test
  void wilsonIntervalMatchesPublishedValues() {
    Interval none = Interval.wilson(0, 10);
    assertThat(none.low()).isZero();
    assertThat(none.high()).isCloseTo(0.2775, within(1e-4));
    Interval some = Interval.wilson(81, 263);
    assertThat(some.low()).isCloseTo(0.2553, within(1e-4));
    assertThat(some.high()).isCloseTo(0.3662, within(1e-4));
    assertThat(Interval.wilson(10, 10).high()).isCloseTo(1, within(1e-12));
  }

  @Test
  void intervalOfAMeanIsTheNormalOne() {
    Interval i = Interval.ofMean(2, 1, 100);
    assertThat(i.low()).isCloseTo(2 - 0.196, within(1e-4));
    assertThat(i.high()).isCloseTo(2 + 0.196, within(1e-4));
  }

  private static Turn turn(String action, boolean done, boolean valid, String event) {
    return new Turn("", new Answer("", action), new Outcome(0, done, false, valid, event));
  }

  private static List<Turn> turns(String... actions) {
    List<Turn> turns = new ArrayList<>();
    for (String action : actions) {
      boolean valid = !action.equals("?");
      boolean helpful = action.equals("search target");
      turns.add(
          turn(action, action.startsWith("buy"), valid, helpful ? "helpful search" : "search"));
    }
    return turns;
  }

  @Test
  void failuresAreSortedByWhatHappened() {
    assertThat(Failure.of(turns("search a", "buy 3"))).isEqualTo(Failure.WRONG_PURCHASE);
    assertThat(Failure.of(turns("search a", "?", "?"))).isEqualTo(Failure.INVALID_ACTIONS);
    assertThat(Failure.of(turns("search a", "search a", "search a")))
        .isEqualTo(Failure.SEARCH_LOOP);
    assertThat(Failure.of(turns("search a", "search b", "click 4")))
        .isEqualTo(Failure.UNREACHABLE_TARGET);
    assertThat(Failure.of(turns("search target", "search b", "click 4")))
        .isEqualTo(Failure.OUT_OF_TURNS);
  }
}
