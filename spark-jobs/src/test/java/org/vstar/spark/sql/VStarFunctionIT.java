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
  void agreesWithTheEstimatorForEveryGroupHoweverRowsArePartitioned() {
    SPARK
        .range(0, 3000, 1, 7)
        .selectExpr("id % 10 AS task", "sin(id) AS return")
        .createOrReplaceTempView("samples");
    for (double beta1 : new double[] {0, 0.01, 0.5, 100, 1e4, 1e13, 1e15}) {
      for (Row row :
          SPARK
              .sql(
                  "SELECT vstar(return, "
                      + beta1
                      + ") AS v, collect_list(return) AS r FROM samples GROUP BY task")
              .collectAsList()) {
        double[] returns = row.<Double>getList(1).stream().mapToDouble(x -> x).toArray();
        assertThat(row.getDouble(0))
            .isCloseTo(ValueEstimate.of(returns, beta1).vStar(), within(1e-9));
      }
    }
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
