package org.vstar.spark.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.vstar.model.value.ValueEstimate;
import org.vstar.spark.TestRun;

class VStarFunctionIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private static Row query(String sql) {
    return SPARK.sql(sql).first();
  }

  @Test
  void agreesWithTheEstimatorForEveryGroupHoweverRowsArePartitionedAndWithoutCompiledCode() {
    SPARK
        .range(0, 3000, 1, 7)
        .selectExpr("id % 10 AS task", "sin(id) AS return")
        .createOrReplaceTempView("samples");
    for (double beta1 : new double[] {0, 0.01, 0.5, 100, 1e4, 1e13, 1e15}) {
      requireEstimates(beta1);
    }
    SPARK.conf().set("spark.sql.codegen.wholeStage", false);
    SPARK.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    requireEstimates(0.5);
    SPARK.conf().unset("spark.sql.codegen.wholeStage");
    SPARK.conf().unset("spark.sql.codegen.factoryMode");
  }

  private static void requireEstimates(double beta1) {
    String sql =
        "SELECT vstar(return, %1$s), vstar_se(return, %1$s), ess(return, %1$s),"
            + " collect_list(return) FROM samples GROUP BY task";
    for (Row row : SPARK.sql(String.format(sql, beta1)).collectAsList()) {
      double[] returns = row.<Double>getList(3).stream().mapToDouble(x -> x).toArray();
      ValueEstimate expected = ValueEstimate.of(returns, beta1);
      assertThat(row.getDouble(0)).isCloseTo(expected.vStar(), within(1e-9));
      double error = expected.standardError();
      assertThat(row.getDouble(1)).isCloseTo(error, within(1e-4 * error));
      double ess = expected.effectiveSampleSize();
      assertThat(row.getDouble(2)).isCloseTo(ess, within(1e-9 * ess));
    }
  }

  @Test
  void ansiModeWhichSpark4TurnsOnChangesNoAnswer() {
    String ansi = "spark.sql.ansi.enabled";
    boolean default4 = SPARK.version().startsWith("4");
    assertThat(SPARK.conf().get(ansi)).isEqualTo(String.valueOf(default4));
    String sql =
        "SELECT vstar(id, 1 / 2), vstar_se(id, 0), ess(cast(id AS float), 2),"
            + " vstar(nullif(id, id), 0.5), vstar(id, 0.3) FROM range(0, 9, 1, 3)";
    Row before = query(sql);
    SPARK.conf().set(ansi, !default4);
    assertThat(query(sql)).isEqualTo(before);
    SPARK.conf().unset(ansi);
    assertThat(before.isNullAt(3)).isTrue();
    assertThat(before.isNullAt(4)).isFalse();
  }

  @Test
  void isAggregatedInPartsAndCompiledIntoTheQuery() {
    SPARK.conf().set("spark.sql.adaptive.enabled", false);
    String plan =
        query("EXPLAIN CODEGEN SELECT vstar(id, 0.5), ess(id, 0.5) FROM range(0, 100, 1, 4)")
            .getString(0);
    SPARK.conf().unset("spark.sql.adaptive.enabled");
    assertThat(plan)
        .contains("HashAggregate", "partial_vstar", "org.vstar.spark.sql.Returns.ratio");
    assertThat(plan).as("with its arguments").containsPattern("partial_vstar\\(.*, 0\\.5\\)");
    assertThat(plan).doesNotContain("ObjectHashAggregate");
  }

  @Test
  void infiniteHugeAndMissingReturnsHaveTheirLimits() {
    String inf = "double('Infinity')";
    assertThat(vstar("(1D), (-" + inf + ")")).isCloseTo(1 - 0.5 * Math.log(2), within(1e-12));
    assertThat(vstar("(-" + inf + "), (-" + inf + ")")).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(vstar("(1D), (" + inf + "), (2D)")).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(vstar("(1D), (double('NaN')), (2D)")).isNaN();
    assertThat(vstar("(1e308), (1e308)")).isEqualTo(1e308);
    assertThat(vstar("(1e308), (-1e308)")).isEqualTo(1e308);
    Row none =
        query("SELECT vstar(r, 1), vstar_se(r, 1), ess(r, 1) FROM VALUES (1) t(r) WHERE r > 1");
    assertThat(none.isNullAt(0) && none.isNullAt(1) && none.isNullAt(2)).isTrue();
    assertThat(query("SELECT vstar_se(r, 1) FROM VALUES (1D), (NULL) t(r)").getDouble(0)).isNaN();
  }

  private static double vstar(String rows) {
    return query("SELECT vstar(r, 0.5) FROM VALUES " + rows + " t(r)").getDouble(0);
  }

  @Test
  void rowsThatHaveNeitherReturnNorBeta1AreLeftOut() {
    String rows =
        "VALUES (1, 1D, 0.5D), (1, 0D, 0.5D), (1, CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE)),"
            + " (1, 0D, 0.5D) t(g, r, b)";
    ValueEstimate expected = ValueEstimate.of(new double[] {1, 0, 0}, 0.5);
    for (String group : new String[] {"", " GROUP BY g"}) {
      for (boolean compiled : new boolean[] {true, false}) {
        SPARK.conf().set("spark.sql.codegen.wholeStage", compiled);
        Row row = query("SELECT vstar(r, b), vstar_se(r, b), ess(r, b) FROM " + rows + group);
        assertThat(row.getDouble(0)).isCloseTo(expected.vStar(), within(1e-9));
        assertThat(row.getDouble(1)).isCloseTo(expected.standardError(), within(1e-9));
        assertThat(row.getDouble(2)).isCloseTo(expected.effectiveSampleSize(), within(1e-9));
      }
    }
    SPARK.conf().unset("spark.sql.codegen.wholeStage");
    assertThatThrownBy(
            () -> query("SELECT vstar(r, b) FROM VALUES (1D, CAST(NULL AS DOUBLE)) t(r, b)"))
        .hasStackTraceContaining("beta1 is NULL");
  }

  @Test
  void ratesMatchTheirCheckValues() {
    Row wilson = query("SELECT wilson_low(0, 10), wilson_high(0, 10), wilson_low(5, 10)");
    assertThat(wilson.getDouble(0)).isZero();
    assertThat(wilson.getDouble(1)).isCloseTo(0.2775, within(5e-5));
    assertThat(wilson.getDouble(2)).isCloseTo(0.2366, within(5e-5));
    // 1 − C(7, 2)/C(10, 2) = 1 − 21/45
    assertThat(query("SELECT pass_at_k(10, 3, 2)").getDouble(0))
        .isCloseTo(24 / 45.0, within(1e-12));
    assertThat(query("SELECT pass_at_k(10, 2, 3)").getDouble(0))
        .isCloseTo(1 - 56 / 120.0, within(1e-12));
    assertThat(query("SELECT pass_at_k(4000000000000, 2000000000000, 1)").getDouble(0))
        .isCloseTo(0.5, within(1e-12));
    Row edges = query("SELECT pass_at_k(10, 0, 5), pass_at_k(10, 6, 5), pass_at_k(3, 1, 5)");
    assertThat(edges.getDouble(0)).isZero();
    assertThat(edges.getDouble(1)).isEqualTo(1);
    assertThat(edges.isNullAt(2)).isTrue();
    Row missing = query("SELECT wilson_low(NULL, 10), wilson_high(0, 0), pass_at_k(3, NULL, 1)");
    assertThat(missing.isNullAt(0) && missing.isNullAt(1) && missing.isNullAt(2)).isTrue();
    assertThatThrownBy(() -> query("SELECT wilson_low(s, 10) FROM VALUES (11) t(s)"))
        .hasStackTraceContaining("wilson_low was given 11.0 successes of 10.0");
    assertThatThrownBy(() -> query("SELECT pass_at_k(10, c, 0) FROM VALUES (1) t(c)"))
        .hasStackTraceContaining("k of pass_at_k");
  }

  @Test
  void matchesTheCheckValue() {
    Row row = query("SELECT vstar(r, 0.5) FROM VALUES (1), (0), (0), (0), (0), (0), (0), (0) t(r)");
    assertThat(row.getDouble(0)).isCloseTo(.2935, within(5e-5));
  }

  @Test
  void doesNotOverflowAndSkipsNulls() {
    assertThat(
            query("SELECT vstar(r, 0.001) FROM VALUES (1000D), (999D), (NULL) t(r)").getDouble(0))
        .isCloseTo(1000 - 0.001 * Math.log(2), within(1e-9));
    assertThat(query("SELECT vstar(r, 0.5) FROM VALUES (CAST(NULL AS DOUBLE)) t(r)").isNullAt(0))
        .isTrue();
  }

  @Test
  void aNegativeOrChangingBeta1AndAWrongNumberOfArgumentsAreRefused() {
    assertThatThrownBy(() -> query("SELECT vstar(r, -1) FROM VALUES (1), (2) t(r)"))
        .hasStackTraceContaining("expected 0 (the mean return) or more");
    assertThatThrownBy(() -> query("SELECT vstar(r, b) FROM VALUES (1, 1), (2, 2) t(r, b)"))
        .hasStackTraceContaining("in one group, expected one value");
    assertThatThrownBy(() -> query("SELECT vstar(r) FROM VALUES (1), (2) t(r)"))
        .hasStackTraceContaining("takes 2 arguments, 1 were given");
  }
}
