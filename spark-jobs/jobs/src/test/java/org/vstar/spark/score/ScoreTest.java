package org.vstar.spark.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    Interval some = Interval.wilson(81 / 263.0, 263);
    assertThat(some.low()).isCloseTo(0.2553, within(1e-4));
    assertThat(some.high()).isCloseTo(0.3662, within(1e-4));
    assertThat(Interval.wilson(1, 10).high()).isCloseTo(1, within(1e-12));
  }

  @Test
  void intervalOfAMeanIsTheNormalOne() {
    Interval i = Interval.ofMean(2, 0.1);
    assertThat(i.low()).isCloseTo(2 - 0.196, within(1e-4));
    assertThat(i.high()).isCloseTo(2 + 0.196, within(1e-4));
  }

  private static EpisodeRow row(String cluster, boolean success) {
    double reward = success ? 1 : 0;
    return new EpisodeRow(
        "m",
        DecodingMode.SAMPLED,
        cluster,
        "",
        cluster,
        0,
        success,
        reward,
        1,
        success ? null : "lost",
        Map.of(),
        "",
        "",
        List.of(),
        null,
        null);
  }

  @Test
  void intervalsAreAsWideAsTheClustersAllow() {
    List<EpisodeRow> alike = new ArrayList<>();
    List<EpisodeRow> single = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      boolean success = i / 4 % 2 == 0;
      alike.add(row("c" + i / 4, success));
      single.add(row("c" + i, success));
    }
    // Ten clusters of four episodes that come out alike: by the formula worth 10 - 1 episodes.
    assertThat(Score.of(alike).successInterval()).isEqualTo(Interval.wilson(0.5, 9));
    assertThat(Score.of(alike).rewardInterval().high())
        .isCloseTo(0.5 + 1.96 * Math.sqrt(0.25 / 9), within(1e-4));
    assertThat(Score.of(single).successInterval().low())
        .isCloseTo(Interval.wilson(0.5, 40).low(), within(0.003));
    List<EpisodeRow> good = alike.stream().filter(EpisodeRow::success).toList();
    assertThat(Score.of(good).successInterval()).isEqualTo(Interval.wilson(1, 5));
  }

  /** How clusters differ cannot be seen in one of them. */
  @Test
  void episodesOfOneClusterAreWorthOneEpisode() {
    List<EpisodeRow> one = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      one.add(row("c", i % 4 == 0));
    }
    Score score = Score.of(one);
    assertThat(score.successInterval()).isEqualTo(Interval.wilson(0.25, 1));
    assertThat(score.rewardInterval()).isNull();
    List<EpisodeRow> both = new ArrayList<>(one.stream().map(r -> of("reference", r)).toList());
    both.addAll(one.stream().map(r -> of("A*-PO regression", r)).toList());
    assertThat(
            PairedDifference.of(both, "reference", null, List.of("A*-PO regression"))
                .get(0)
                .interval())
        .isEqualTo(new Interval(-1, 1));
  }

  private static EpisodeRow of(String method, EpisodeRow row) {
    return row(method, row.cluster(), row.success());
  }

  private static EpisodeRow row(String method, String cluster, boolean success) {
    EpisodeRow r = row(cluster, success);
    return new EpisodeRow(
        method,
        r.mode(),
        cluster,
        "",
        cluster,
        0,
        success,
        0,
        1,
        r.failure(),
        Map.of(),
        "",
        "",
        List.of(),
        null,
        null);
  }

  @Test
  void differencesArePairedAndClustered() {
    List<String> trained = List.of("A*-PO regression");
    List<EpisodeRow> rows = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      String cluster = "c" + i / 2;
      rows.add(row("reference", cluster, i % 4 == 0));
      rows.add(row("A*-PO regression", cluster, i % 4 < 2));
    }
    // Half of the 50 clusters gain one of two episodes, the other half none.
    PairedDifference gain = PairedDifference.of(rows, "reference", null, trained).get(0);
    assertThat(gain.success()).isCloseTo(0.25, within(1e-12));
    double error = Math.sqrt(50 / 49.0 * 50 * 0.25) / 100;
    assertThat(gain.interval().high()).isCloseTo(0.25 + 1.96 * error, within(1e-4));
    assertThat(gain.words()).startsWith("A*-PO regression, sampled: +25.0 points of success");
    assertThat(
            PairedDifference.of(
                rows.stream().filter(r -> !r.method().equals("reference")).toList(),
                "reference",
                null,
                trained))
        .isEmpty();
  }

  @Test
  void policiesArePairedWithTheReferenceAtItsBestAndWithOneAnother() {
    List<EpisodeRow> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String cluster = "c" + i;
      rows.add(row("reference", cluster, i % 4 == 0));
      rows.add(greedy(row("reference", cluster, i % 2 == 0)));
      rows.add(row("a", cluster, i % 4 < 3));
      rows.add(row("b", cluster, true));
    }
    List<PairedDifference> found =
        PairedDifference.of(rows, "reference", DecodingMode.GREEDY, List.of("a", "b"));
    assertThat(found)
        .extracting(d -> d.method() + " " + d.against() + " " + d.againstMode())
        .containsExactly(
            "a reference sampled",
            "a reference greedy",
            "b reference sampled",
            "b reference greedy",
            "b a sampled");
    assertThat(found)
        .extracting(d -> Math.round(100 * d.success()))
        .containsExactly(50L, 25L, 75L, 50L, 25L);
    assertThat(found.get(1).words()).contains("against its reference at its best, greedy (");
    assertThat(found.get(4).words()).contains("+25.0 points of success against a (");
    assertThat(PairedDifference.bestMode(MethodSummary.of(rows), "reference"))
        .isEqualTo(DecodingMode.GREEDY);
  }

  private static EpisodeRow greedy(EpisodeRow r) {
    return new EpisodeRow(
        r.method(),
        DecodingMode.GREEDY,
        r.taskId(),
        "",
        r.cluster(),
        0,
        r.success(),
        0,
        1,
        r.failure(),
        Map.of(),
        "",
        "",
        List.of(),
        null,
        null);
  }

  /** Of eight tasks the reference solves each of two once in four samples, and two always. */
  @Test
  void theHeadroomIsWhatLiesBetweenSuccessAndPassAtK() {
    List<EpisodeRow> rows = new ArrayList<>();
    for (int task = 0; task < 8; task++) {
      for (int i = 0; i < 4; i++) {
        rows.add(row("reference", "c" + task, task < 2 && i == 0 || task >= 2 && task < 4));
        rows.add(row("trained", "c" + task, task < 2 && i < 3 || task >= 2 && task < 4));
      }
    }
    HeadroomTaken taken = HeadroomTaken.of(rows, "reference", List.of("trained")).get(0);
    assertThat(taken).isEqualTo(new HeadroomTaken("trained", 4, 10 / 32.0, 0.5, 14 / 32.0));
    assertThat(taken.words()).contains("takes +12.5 of these 18.8 points: 67 % of it");
    assertThat(HeadroomTaken.of(rows.subList(0, 2), "reference", List.of("trained"))).isEmpty();
  }

  private static Turn turn(String action, boolean done, boolean valid, String event) {
    Outcome outcome = new Outcome(0, done, false, valid, event);
    boolean seen = event.equals("helpful search");
    return new Turn("", new Answer("", action), seen ? outcome.withGoalSeen() : outcome);
  }

  private static String event(String action) {
    return action.startsWith("buy")
        ? "wrong type"
        : action.equals("search target") ? "helpful search" : "search";
  }

  private static List<Turn> turns(String... actions) {
    List<Turn> turns = new ArrayList<>();
    for (String action : actions) {
      boolean valid = !action.equals("?");
      turns.add(turn(action, action.startsWith("buy"), valid, event(action)));
    }
    return turns;
  }

  @Test
  void failuresAreSortedByWhatHappened() {
    assertThat(Failure.of(turns("search a", "buy 3"))).isEqualTo("wrong type");
    assertThat(Failure.of(turns("search a", "?", "?"))).isEqualTo(Failure.INVALID_ACTIONS);
    assertThat(Failure.of(turns("search a", "search a", "search a")))
        .isEqualTo(Failure.REPEATED_ACTIONS);
    assertThat(Failure.of(turns("search a", "search b", "click 4")))
        .isEqualTo(Failure.UNREACHABLE_TARGET);
    assertThat(Failure.of(turns("search target", "search b", "click 4")))
        .isEqualTo(Failure.OUT_OF_TURNS);
  }

  @Test
  void wilsonsIntervalHoldsTheRateForEveryNumberOfTrialsAndEndsAtTheEnds() {
    for (int n = 1; n <= 2000; n++) {
      assertThat(Interval.wilson(0, n).low()).isZero();
      assertThat(Interval.wilson(1, n).high()).isEqualTo(1);
      double rate = n / 3 / (double) n;
      assertThat(rate).isBetween(Interval.wilson(rate, n).low(), Interval.wilson(rate, n).high());
    }
  }

  @Test
  void agentsTokensAreAMeanAndAbsentWhereTheAgentIsNoPolicy() {
    List<EpisodeRow> rows =
        List.of(
            row("policy", "a", true).withAgentTokens(10),
            row("policy", "b", true).withAgentTokens(25),
            row("script", "a", true));
    assertThat(MethodSummary.of(rows))
        .extracting(MethodSummary::agentTokens)
        .containsExactly(17.5, null);
  }

  @Test
  void aMeanMadeOfSumsHasTheIntervalOfTheRows() {
    List<EpisodeRow> rows = new ArrayList<>();
    ClusteredMean mean = ClusteredMean.NONE;
    for (int cluster = 0; cluster < 30; cluster++) {
      int won = 0;
      int size = 1 + cluster % 4;
      for (int i = 0; i < size; i++) {
        boolean success = (cluster * 7 + i) % 3 == 0;
        rows.add(row("c" + cluster, success));
        won += success ? 1 : 0;
      }
      mean = mean.plus(ClusteredMean.ofCluster(size, won));
    }
    Score score = Score.of(rows);
    assertThat(mean.mean()).isCloseTo(score.successRate(), within(1e-8));
    assertThat(mean.rateInterval().low()).isCloseTo(score.successInterval().low(), within(1e-8));
    assertThat(mean.interval().high()).isCloseTo(score.rewardInterval().high(), within(1e-8));
    ClusteredMean one = ClusteredMean.ofCluster(10, 4);
    assertThat(one.rateInterval().high()).isCloseTo(Interval.wilson(0.4, 1).high(), within(1e-8));
    assertThat(one.interval().high()).isInfinite();
    assertThat(ClusteredMean.NONE.plus(ClusteredMean.ofCluster(0, 0)).mean()).isNaN();
  }
}
