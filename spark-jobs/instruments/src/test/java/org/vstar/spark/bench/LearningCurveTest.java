package org.vstar.spark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.vstar.spark.bench.LearningCurve.Point;

class LearningCurveTest {

  @Test
  void aThresholdIsReachedWhereItIsFirstPassedAndEachMeasureHasItsOwn() {
    LearningCurve curve = new LearningCurve("A*-PO", 6.94);
    curve.add(new Point(0, 94, 73, Double.NaN, 0.25));
    curve.add(new Point(1, 110, 120, 0.5, Double.NaN));
    curve.add(new Point(2, 126, 170, 1, 0.75));
    curve.add(new Point(4, 158, 260, 0.875, 1));
    assertThat(curve.table(0.95).lines())
        .containsExactly(
            "A*-PO: 0 updates, 94 rollouts, 73 s: greedy 25.0 %",
            "A*-PO: 2 updates, 126 rollouts, 170 s: sampled 100 %, greedy 75.0 %",
            "A*-PO: 4 updates, 158 rollouts, 260 s: sampled 88 %, greedy 100.0 %",
            "A*-PO: 95 % of an update's episodes after 126 rollouts and 170 s, of validation tasks"
                + " after 158 rollouts and 260 s; most memory 6.9 GB");
  }

  @Test
  void whatIsNeverReachedIsSaid() {
    LearningCurve curve = new LearningCurve("TRL grpo", 5);
    curve.add(new Point(0, 0, 0, Double.NaN, 0.25));
    assertThat(curve.table(0.95)).contains("95 % of an update's episodes never, of validation");
  }
}
