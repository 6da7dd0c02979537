package org.vstar.spark.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.Json;
import org.vstar.spark.run.StudyConfig;
import org.vstar.spark.study.StudyResults.Axis;
import org.vstar.spark.study.UnitResult.Point;

class StudyResultsTest {

  private static final Axis ROLLOUTS = (run, point) -> point.rollouts();

  private static UnitResult run(String arm, long seed, double... success) {
    List<Point> curve = new ArrayList<>();
    for (int i = 0; i < success.length; i++) {
      curve.add(new Point(10 * i, 100 + 40L * i, 4 * i, 0, 2 * i, success[i], success[i]));
    }
    List<UnitResult.Episode> episodes =
        List.of(
            new UnitResult.Episode("a", "a", true, 1),
            new UnitResult.Episode("b", "b", seed == 1, 0));
    return new UnitResult(
        arm,
        seed,
        "s",
        new UnitResult.StageOne(100, 10, 2, 0.25, 0.5),
        curve,
        episodes,
        "p",
        2,
        16);
  }

  private static StudyResults of(UnitResult... runs) {
    Map<String, StudyConfig.Arm> arms = new LinkedHashMap<>();
    Map<String, List<UnitResult>> results = new LinkedHashMap<>();
    for (UnitResult run : runs) {
      arms.put(run.arm(), new StudyConfig.Arm(Map.of(), false));
      results.computeIfAbsent(run.arm(), arm -> new ArrayList<>()).add(run);
    }
    return new StudyResults(
        new StudyConfig(List.of(1L, 2L), arms, null, List.of(0.5), List.of(), 2000, 1), results);
  }

  @Test
  void aRateBetweenTwoEvaluationsIsReachedOnTheLineThroughThem() {
    assertThat(StudyResults.reached(run("x", 1, 0.2, 0.6, 0.4), 0.5, ROLLOUTS))
        .hasValueCloseTo(100 + 40 * 0.75, within(1e-9));
    assertThat(StudyResults.reached(run("x", 1, 0.5, 0.1), 0.5, ROLLOUTS)).hasValue(100);
    assertThat(StudyResults.reached(run("x", 1, 0.2, 0.4), 0.5, ROLLOUTS)).isEmpty();
  }

  @Test
  void whenATimeIsSpentTheLastEvaluationUntilThenCountsAndBeforeTheFirstTheReference() {
    StudyResults all = of(run("x", 1, 0.2, 0.6, 0.9), run("x", 2, 0.1, 0.3, 0.8));
    assertThat(all.successAt("x", UnitResult::seconds, 5)).containsExactly(0.2, 0.1);
    assertThat(all.successAt("x", UnitResult::seconds, 16)).containsExactly(0.6, 0.3);
    assertThat(all.successAt("x", UnitResult::seconds, 21.9)).containsExactly(0.6, 0.3);
    assertThat(all.successAt("x", UnitResult::seconds, 100)).containsExactly(0.9, 0.8);
  }

  @Test
  void moreExecutorsShareSamplesAndRolloutsAndNotUpdates() {
    UnitResult run = run("x", 1, 0.2, 0.6);
    Point last = run.last();
    assertThat(run.seconds(last)).isEqualTo(10 + 4 + 2);
    assertThat(run.wallClock(last, 1)).isEqualTo(20 + 8 + 2);
    assertThat(run.wallClock(last, 8)).isEqualTo(20 / 8.0 + 1 + 2);
    // An update has no more than 16 rollouts.
    assertThat(run.wallClock(last, 64)).isEqualTo(20 / 64.0 + 8 / 16.0 + 2);
  }

  @Test
  void tablesAfterTheFirstAreSharedAsTheFirstIsAndReadingOneIsNot() throws IOException {
    List<JsonNode> metrics = new ArrayList<>();
    for (String line :
        List.of(
            "{'stage':'validation','step':0,'success':0.2,'return':0.1}",
            "{'stage':'train','step':0,'policy_lag':0,'rollout_seconds':3,'update_seconds':1}",
            "{'stage':'train','step':1,'policy_lag':0,'rollout_seconds':3,'update_seconds':1,"
                + "'refresh_seconds':20}",
            "{'stage':'validation','step':2,'success':0.6,'return':0.5}")) {
      metrics.add(Json.MAPPER.readTree(line.replace('\'', '"')));
    }
    List<Point> curve = UnitResult.curve(metrics, (step, online) -> online);
    assertThat(curve.get(1)).isEqualTo(new Point(2, 0, 0, 20, 8, 0.6, 0.5));
    UnitResult run = run("x", 1, 0.2);
    assertThat(run.seconds(curve.get(1))).isEqualTo(10 + 20 + 8);
    assertThat(run.wallClock(curve.get(1), 8)).isEqualTo((10 + 20) * 2 / 8.0 + 8);
  }

  @Test
  void aRatioNeedsAllSeedsOfBothAndHasAnIntervalAroundIt() {
    StudyResults all =
        of(
            run("slow", 1, 0, 0, 1),
            run("slow", 2, 0, 0.2, 1),
            run("fast", 1, 0, 1, 1),
            run("fast", 2, 0, 0.8, 1));
    StudyResults.Ratio ratio = all.ratio("slow", "fast", 0.5, ROLLOUTS).orElseThrow();
    double slow = (160 + 140 + 40 * 0.375) / 2;
    double fast = (120 + 125) / 2.0;
    assertThat(ratio.ratio()).isEqualTo(slow / fast, within(1e-9));
    assertThat(ratio.interval().low()).isBetween(1.0, ratio.ratio());
    assertThat(ratio.interval().high()).isGreaterThan(ratio.ratio());
    assertThat(all.ratio("slow", "fast", 0.5, ROLLOUTS)).hasValue(ratio);
    assertThat(
            of(run("slow", 1, 0, 0.1), run("fast", 1, 0, 1)).ratio("slow", "fast", 0.5, ROLLOUTS))
        .isEmpty();
  }

  @Test
  void nineTenthsOfTheBestGainAreOverTheReferencesOwnSuccess() {
    assertThat(of(run("x", 1, 0.2, 0.4), run("y", 1, 0.2, 0.7)).mostOfTheGain())
        .hasValueCloseTo(0.2 + 0.9 * 0.5, within(1e-9));
  }

  @Test
  void finalSuccessAndDifferencesAreOverSeedsAndTasks() {
    StudyResults all = of(run("x", 1, 0), run("x", 2, 0), run("y", 1, 0));
    assertThat(all.success("x").orElseThrow().mean()).isEqualTo(0.75);
    assertThat(all.difference("y", "x").orElseThrow().mean()).isZero();
  }

  @Test
  void aReportTellsOfReferencesAndOfHowFarEachArmIsWhenATimeIsSpent(@TempDir Path folder)
      throws IOException {
    StudyResults all = of(run("x", 1, 0.2, 0.6, 0.9), run("x", 2, 0.1, 0.3, 0.8));
    StudyConfig study =
        new StudyConfig(
            List.of(1L, 2L), all.study().arms(), null, List.of(0.5), List.of(16.0), 2000, 1);
    new StudyReport("x", study, new StudyResults(study, all.arms())).write(new FolderStore(folder));
    assertThat(Files.readString(folder.resolve("report.md")))
        .contains(
            "| seed | rollouts | success | tasks of mixed outcome |",
            "| 2 | 100 | 25.0 % | 50.0 % |",
            "## After 16 seconds",
            "| x | 45.0 % (30.0 – 60.0) |");
  }
}
