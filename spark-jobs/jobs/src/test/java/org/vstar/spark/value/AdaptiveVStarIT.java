package org.vstar.spark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.table.Tables;
import org.vstar.spark.train.TrainJob;

/** V* with samples where they help: the same tables, and the same answers to kills and changes. */
class AdaptiveVStarIT {

  private static final int TASKS = 47;
  private static final String FEW_TASKS = "environment.testTargets=400";

  @TempDir Path folder;
  private SparkSession spark = TestRun.session("local[2]");

  @AfterEach
  void stop() {
    spark.stop();
  }

  private TestRun run(String out, int first, int budget, int rounds) throws IOException {
    String adaptive =
        String.format(
            "vstar.adaptive={firstSamples: %d, totalBudget: %d, rounds: %d}",
            first, budget, rounds);
    return new TestRun(folder.resolve(out), "vstar.samples=12", FEW_TASKS, adaptive)
        .withReference(1);
  }

  private TestRun run(String out) throws IOException {
    return run(out, 2, 3 * TASKS, 2);
  }

  private Tables tables(TestRun run) {
    return JobContext.tables(spark, run.folder());
  }

  @Test
  void theBudgetIsSpentWhereItHelpsAndTrainingTakesTheTable() throws IOException {
    TestRun run = run("run");
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    Dataset<Row> vStar = tables(run).vstar();
    Row counts = vStar.selectExpr("sum(n)", "min(n)", "max(n)", "count(*)").first();
    assertThat(counts.getLong(0)).isEqualTo(3 * TASKS);
    assertThat(counts.getInt(1)).isBetween(2, 3);
    assertThat(counts.getInt(2)).isBetween(3, 12);
    assertThat(counts.getLong(3)).isEqualTo(TASKS);
    assertThat(tables(run).samples().count()).isEqualTo(3 * TASKS);
    assertThat(vStar.where("v_star_shrunk BETWEEN v_star_low AND v_star_high").count())
        .isGreaterThan(TASKS * 9 / 10);
    tables(run).samples().createOrReplaceTempView("samples");
    vStar.createOrReplaceTempView("estimates");
    double off =
        spark
            .sql(
                "SELECT max(abs(v_star - v)) FROM estimates JOIN (SELECT task_id,"
                    + " vstar(return, 0.5) v FROM samples GROUP BY task_id) USING (task_id)")
            .first()
            .getDouble(0);
    assertThat(off).isLessThan(1e-12);

    TestRun other = run("run", 2, 3 * TASKS, 1);
    assertThat(other.run(new TrainJob())).isEqualTo(2);
    assertThat(other.errors()).contains("another vstar.adaptive");
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
  }

  @Test
  void samplesThatAreThereAlreadyAndThreadsChangeNothing() throws IOException {
    TestRun once = run("once");
    assertThat(once.run(new VStarJob())).isZero();
    TestRun uniform =
        new TestRun(folder.resolve("more"), "vstar.samples=5", FEW_TASKS).withReference(1);
    assertThat(uniform.run(new VStarJob())).isZero();
    spark.stop();
    spark = TestRun.session("local[1]");
    TestRun more = run("more");
    assertThat(more.run(new VStarJob())).as(more.errors()).isZero();
    assertThat(more.values(spark)).isEqualTo(once.values(spark));
    assertThat(more.run(new VStarJob())).isZero();
    assertThat(more.values(spark)).isEqualTo(once.values(spark));
  }

  @Test
  void aBudgetThatIsTooSmallAndABadSectionAreRefusedInOneLine() throws IOException {
    TestRun small = run("small", 2, 60, 2);
    assertThat(small.run(new VStarJob())).isEqualTo(2);
    assertThat(small.errors()).contains("94 or more: 2 first samples of each of 47 tasks");
    assertThatThrownBy(() -> run("first", 13, 9999, 2))
        .hasMessageContainingAll("vstar.adaptive.firstSamples", "vstar.samples, which is 12");
    assertThatThrownBy(() -> run("rounds", 2, 9999, 0))
        .hasMessageContainingAll("vstar.adaptive.rounds", "1 to 100");
  }
}
