package org.vstar.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SeedsTest {

  @Test
  void parentPurposeAndSubjectEachGiveAnotherSeed() {
    List<Long> seeds =
        List.of(
            Seeds.derive(7, "tokens"),
            Seeds.derive(8, "tokens"),
            Seeds.derive(7, "environment"),
            Seeds.derive(7, "tokens", "a", 1),
            Seeds.derive(7, "tokens", "a1"),
            Seeds.derive(7, "tokens", "", "a1"),
            Seeds.derive(7, "tokens", 1, "a"));
    assertThat(seeds).doesNotHaveDuplicates();
    assertThat(Seeds.derive(7, "tokens", "a", 1)).isEqualTo(seeds.get(3));
  }

  /** With one seed for two purposes, the first number of the one is the first of the other. */
  @Test
  void streamsOfTwoPurposesAreNotCorrelated() {
    double sum = 0;
    int n = 20_000;
    for (int seed = 0; seed < n; seed++) {
      double environment = Seeds.random(seed, "environment").nextDouble();
      double tokens = Seeds.random(seed, "tokens").nextDouble();
      sum += 12 * (environment - 0.5) * (tokens - 0.5) / n;
    }
    assertThat(sum).isCloseTo(0, within(4 / Math.sqrt(n)));
  }

  @Test
  void everyOrderOfAShuffleIsEquallyLikely() {
    Map<List<Integer>, Integer> orders = new HashMap<>();
    SplittableRandom random = Seeds.random(1, "shuffle");
    int n = 24_000;
    for (int i = 0; i < n; i++) {
      List<Integer> list = new ArrayList<>(List.of(1, 2, 3, 4));
      Seeds.shuffle(list, random);
      orders.merge(list, 1, Integer::sum);
    }
    assertThat(orders).hasSize(24);
    assertThat(orders.values()).allMatch(count -> Math.abs(count - n / 24) < 160);
  }
}
