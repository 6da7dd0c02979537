package org.vstar.spark.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.score.SeedMean.Value;

class ReplicationTest {

  /** R: t.test(c(1, 2, 4)) has the mean 2.3333 and the interval -1.4612 to 6.1279. */
  @Test
  void ofOneRunWithSingleClustersTheIntervalIsStudents() {
    SeedMean mean =
        SeedMean.of(
            List.of(new Value("a", "p", 1), new Value("a", "q", 2), new Value("a", "r", 4)));
    assertThat(mean.mean()).isCloseTo(7 / 3.0, within(1e-12));
    assertThat(mean.interval().low()).isCloseTo(-1.4612, within(1e-4));
    assertThat(mean.interval().high()).isCloseTo(6.1279, within(1e-4));
    assertThat(mean.eachRun()).isEqualTo(Map.of("a", 7 / 3.0));
  }

  /** The same numbers as runs whose tasks do not differ. */
  @Test
  void whereOnlyRunsDifferTheIntervalIsStudentsOverRuns() {
    List<Value> values = new ArrayList<>();
    Map.of("a", 1, "b", 2, "c", 4)
        .forEach(
            (run, value) ->
                IntStream.range(0, 50).forEach(i -> values.add(new Value(run, "p" + i, value))));
    SeedMean mean = SeedMean.of(values);
    assertThat(mean.interval().low()).isCloseTo(-1.4612, within(0.02));
    assertThat(mean.interval().high()).isCloseTo(6.1279, within(0.02));
  }

  @Test
  void runsThatAreTheSameSayNoMoreThanOneOfThem() {
    Random random = new Random(1);
    List<Value> one = new ArrayList<>();
    List<Value> three = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      double value = random.nextInt(2);
      one.add(new Value("a", "p" + i / 3, value));
      List.of("a", "b", "c")
          .forEach(run -> three.add(new Value(run, "p" + three.size() / 9, value)));
    }
    Interval single = SeedMean.of(one).interval();
    Interval triple = SeedMean.of(three).interval();
    assertThat(triple.high() - triple.low())
        .isCloseTo(single.high() - single.low(), within(0.02))
        .isGreaterThan(0.2);
  }

  @Test
  void ratesEndAtNoughtAndOneAndThoseWithoutExceptionAreNotCertain() {
    List<Value> all = new ArrayList<>();
    List<Value> most = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String run = i % 2 == 0 ? "a" : "b";
      all.add(new Value(run, "p" + i / 4, 1));
      most.add(new Value(run, "p" + i / 4, i == 0 ? 0 : 1));
    }
    assertThat(SeedMean.ofRate(all).interval()).isEqualTo(Interval.wilson(1, 10));
    assertThat(SeedMean.ofRate(most).interval().high()).isEqualTo(1);
    assertThat(SeedMean.ofRate(most).interval().low()).isLessThan(SeedMean.ofRate(most).mean());
  }

  @Test
  void nineteenOfTwentyIntervalsHoldWhatSeedsAndProductsVaryAround() {
    Random random = new Random(7);
    int draws = 1000;
    int held = 0;
    for (int draw = 0; draw < draws; draw++) {
      List<Value> values = new ArrayList<>();
      double[] products = random.doubles(50, -0.4, 0.4).toArray();
      for (String run : List.of("a", "b", "c")) {
        double policy = 0.04 * random.nextGaussian();
        for (int p = 0; p < products.length; p++) {
          double both = 0.2 * random.nextGaussian();
          for (int goal = 0; goal < 3; goal++) {
            double value = 0.8 + policy + products[p] + both + 0.1 * random.nextGaussian();
            values.add(new Value(run, "p" + p, value));
          }
        }
      }
      Interval interval = SeedMean.of(values).interval();
      held += interval.low() < 0.8 && interval.high() > 0.8 ? 1 : 0;
    }
    assertThat(held / (double) draws).isBetween(0.93, 0.98);
  }

  private static EpisodeRow row(
      String method, DecodingMode mode, int task, int sample, boolean success, String environment) {
    return new EpisodeRow(
        method,
        mode,
        "t" + task,
        "",
        "c" + task / 2,
        sample,
        success,
        success ? 1 : 0,
        1,
        success ? null : "f",
        Map.of(),
        environment,
        "r",
        List.of(),
        null,
        null);
  }

  /** Of 20 tasks, "scan" buys every second right; a policy those and so many more. */
  private static List<EpisodeRow> run(int more) {
    List<EpisodeRow> rows = new ArrayList<>();
    for (int task = 0; task < 20; task++) {
      boolean scan = task % 2 == 0;
      boolean policy = scan || task / 2 < more;
      rows.add(row("scan", DecodingMode.SAMPLED, task, 0, scan, "e"));
      rows.add(row("A*-PO regression", DecodingMode.SAMPLED, task, 0, policy, "e"));
      rows.add(row("A*-PO regression", DecodingMode.SAMPLED, task, 1, scan, "e"));
      rows.add(row("A*-PO regression", DecodingMode.GREEDY, task, 0, policy, "e"));
    }
    return rows;
  }

  @Test
  void methodsArePairedByRunAndTaskInTheirModeOrAScriptsOnlyOne() {
    Map<String, List<EpisodeRow>> runs =
        new TreeMap<>(Map.of("one", run(2), "two", run(4), "three", run(6)));
    Replication found = Replication.of(runs, List.of("scan"));
    assertThat(found.methods())
        .extracting(m -> m.all().label())
        .containsExactly("scan", "A*-PO regression", "A*-PO regression greedy");
    assertThat(found.methods().get(2).success().eachRun())
        .isEqualTo(Map.of("one", 0.6, "two", 0.7, "three", 0.8));
    assertThat(found.methods().get(2).success().mean()).isCloseTo(0.7, within(1e-12));
    assertThat(found.differences()).hasSize(2);
    assertThat(found.differences().get(0).success().mean()).isCloseTo(0.1, within(1e-12));
    Replication.Difference greedy = found.differences().get(1);
    assertThat(greedy.against()).isEqualTo("scan");
    assertThat(greedy.success().mean()).isCloseTo(0.2, within(1e-12));
    assertThat(greedy.success().eachRun().get("three")).isCloseTo(0.3, within(1e-12));
    assertThat(greedy.success().interval().low()).isLessThan(0);
  }

  @Test
  void aMethodThatOneRunHasIsShownOfThatRun() {
    List<EpisodeRow> more = run(4);
    more.add(row("careful", DecodingMode.SAMPLED, 0, 0, true, "e"));
    Replication found =
        Replication.of(new TreeMap<>(Map.of("one", run(2), "two", more)), List.of("careful"));
    assertThat(found.methods().get(3).success().eachRun()).containsOnlyKeys("two");
    assertThat(found.differences())
        .isNotEmpty()
        .allSatisfy(d -> assertThat(d.success().eachRun()).containsOnlyKeys("two"));
  }

  @Test
  void runsOfOtherTasksOrEnvironmentsAreRefused() {
    List<EpisodeRow> other =
        run(2).stream().map(r -> row(r.method(), r.mode(), 1, 0, r.success(), "another")).toList();
    assertThatThrownBy(
            () -> Replication.of(new TreeMap<>(Map.of("a", run(2), "b", other)), List.of("scan")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("b was not played on the same environment as a");
    List<EpisodeRow> fewer = run(2).subList(0, 8);
    assertThatThrownBy(
            () -> Replication.of(new TreeMap<>(Map.of("a", run(2), "b", fewer)), List.of("scan")))
        .hasMessageContaining("b was not played on the same tasks as a");
    assertThatThrownBy(() -> Replication.of(Map.of("a", run(2)), List.of("nobody")))
        .hasMessageContaining(
            "--against nobody: no run has it, there are [A*-PO regression, scan]");
  }
}
