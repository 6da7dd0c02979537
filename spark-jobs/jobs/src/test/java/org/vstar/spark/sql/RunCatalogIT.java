package org.vstar.spark.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.AtomicFiles;
import org.vstar.spark.TestRun;
import org.vstar.spark.table.Columns;
import org.vstar.spark.value.RescoreJob;
import org.vstar.spark.value.VStarJob;

/** Two runs in a folder; V* of the first was measured under two β₁. */
class RunCatalogIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");
  private static final String FIRST = "runs.`it's 1`.";

  @TempDir static Path root;

  @BeforeAll
  static void measure() throws IOException {
    TestRun first = new TestRun(root.resolve("it's 1")).withReference(1);
    assertThat(first.run(new VStarJob())).as(first.errors()).isZero();
    assertThat(first.run(new VStarJob(), "--set", "vstar.beta1=0.25")).isZero();
    // The same again is no new state.
    assertThat(first.run(new VStarJob(), "--set", "vstar.beta1=0.25")).isZero();
    new TestRun(root.resolve("untouched")).withReference(2);
    Files.createDirectories(root.resolve("no run"));
    SPARK.conf().set("spark.sql.catalog.runs", RunCatalog.class.getName());
    SPARK.conf().set("spark.sql.catalog.runs.root", root.toString());
  }

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private static List<String> strings(String sql, int column) {
    return SPARK.sql(sql).collectAsList().stream().map(row -> row.getString(column)).toList();
  }

  private static Object value(String sql) {
    return SPARK.sql(sql).first().get(0);
  }

  @Test
  void runsAreNamespacesAndTheirTablesTables() {
    assertThat(strings("SHOW NAMESPACES IN runs", 0)).containsExactly("`it's 1`", "untouched");
    assertThat(strings("SHOW TABLES IN runs.`it's 1`", 1)).contains("samples", "tasks", "vstar");
    assertThat(strings("SHOW TABLES IN runs.untouched", 1)).isEmpty();
    for (String table : List.of("tasks", "samples", "vstar")) {
      String folder = root.resolve("it's 1/tables/" + table).toString();
      assertThat(SPARK.table(FIRST + table).count())
          .isEqualTo(SPARK.read().parquet(folder).count())
          .isPositive();
    }
    String join =
        "SELECT count(*) FROM %1$svstar v JOIN %1$stasks t USING (task_id) WHERE n = 2"
            + " AND v_star_low <= v_star_high AND t.split = 'train'";
    assertThat(value(join.formatted(FIRST))).isEqualTo(SPARK.table(FIRST + "vstar").count());
    assertThat(SPARK.table(FIRST + "VStar").count())
        .isEqualTo(SPARK.table(FIRST + "vstar").count());
    assertThat(value("SELECT count(actions[0]) > 0 FROM " + FIRST + "samples")).isEqualTo(true);
  }

  @Test
  void describeSaysWhatEachColumnMeans() {
    for (var table :
        List.of(
            List.of("tasks", Columns.TASKS),
            List.of("samples", Columns.SAMPLES),
            List.of("vstar", Columns.VSTAR))) {
      var columns = (org.apache.spark.sql.types.StructType) table.get(1);
      List<Row> described = SPARK.sql("DESCRIBE " + FIRST + table.get(0)).collectAsList();
      for (int i = 0; i < columns.size(); i++) {
        assertThat(described.get(i).getString(0)).isEqualTo(columns.fields()[i].name());
        assertThat(described.get(i).getString(2))
            .isEqualTo(columns.fields()[i].getComment().get())
            .hasSizeGreaterThan(3);
      }
    }
  }

  @Test
  void anOlderStateIsThereByNumberByRunIdAndByTime() {
    String beta1 = "SELECT DISTINCT beta1 FROM " + FIRST + "vstar";
    assertThat(value(beta1)).isEqualTo(0.25);
    assertThat(value(beta1 + " VERSION AS OF 1")).isEqualTo(0.5);
    assertThat(value(beta1 + " VERSION AS OF 2")).isEqualTo(0.25);
    String runId = (String) value("SELECT run_id FROM " + FIRST + "vstar VERSION AS OF 1 LIMIT 1");
    assertThat(value(beta1 + " VERSION AS OF '" + runId + "'")).isEqualTo(0.5);
    assertThat(value(beta1 + " TIMESTAMP AS OF current_timestamp()")).isEqualTo(0.25);
    assertThat(SPARK.table(FIRST + "vstar").count())
        .isEqualTo(SPARK.sql("SELECT * FROM " + FIRST + "vstar VERSION AS OF 1").count());
    assertThat(strings("SHOW TBLPROPERTIES " + FIRST + "vstar", 1))
        .anyMatch(said -> said.contains("beta1 0.5, 347 rows, run_id " + runId))
        .noneMatch(said -> said.contains("version.3"));
    assertThatThrownBy(() -> SPARK.sql(beta1 + " VERSION AS OF 3").collect())
        .hasMessageContaining("has no version '3', expected 1 to 2 or a run id");
    assertThatThrownBy(() -> SPARK.sql(beta1 + " TIMESTAMP AS OF '2020-01-01 00:00:00'").collect())
        .hasMessageContaining("did not exist at 2020-01-01");
    assertThatThrownBy(
            () -> SPARK.sql("SELECT * FROM " + FIRST + "samples VERSION AS OF 'x'").collect())
        .hasMessageContaining("samples has no version 'x', expected 2 to ");
  }

  @Test
  void nothingCanBeWrittenThroughIt() throws IOException {
    List<Path> before = files();
    for (String sql :
        List.of(
            "DROP TABLE " + FIRST + "vstar",
            "CREATE TABLE " + FIRST + "mine (a INT)",
            "CREATE NAMESPACE runs.mine",
            "ALTER TABLE " + FIRST + "vstar ADD COLUMN mine INT",
            "DROP NAMESPACE runs.untouched CASCADE")) {
      assertThatThrownBy(() -> SPARK.sql(sql).collect())
          .as(sql)
          .hasMessageContaining("runs can only be read here");
    }
    assertThatThrownBy(
            () -> SPARK.sql("INSERT INTO " + FIRST + "tasks SELECT * FROM " + FIRST + "tasks"))
        .hasMessageContaining("does not support append");
    assertThat(files()).isEqualTo(before);
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.sorted().toList();
    }
  }

  @Test
  void aRunOrTableThatIsNotThereIsSaidInSparksWords() {
    assertThatThrownBy(() -> SPARK.sql("SELECT * FROM runs.nowhere.vstar"))
        .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
    assertThatThrownBy(() -> SPARK.sql("SELECT * FROM runs.untouched.vstar"))
        .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
    assertThatThrownBy(() -> SPARK.sql("SHOW TABLES IN runs.`..`"))
        .hasMessageContaining("SCHEMA_NOT_FOUND");
  }

  @Test
  void aFlippedBitIsAnErrorAndNoOtherValue() throws IOException {
    Path copy = root.resolveSibling(root.getFileName() + "-flipped");
    copy(root.resolve("it's 1/tables"), copy.resolve("run/tables"));
    try (Stream<Path> all = Files.list(copy.resolve("run/tables/_log/vstar/versions"))) {
      for (Path table : all.toList()) {
        byte[] bytes = Files.readAllBytes(table);
        bytes[bytes.length / 3] ^= 4;
        Files.write(table, bytes);
      }
    }
    SPARK.conf().set("spark.sql.catalog.flipped", RunCatalog.class.getName());
    SPARK.conf().set("spark.sql.catalog.flipped.root", copy.toString());
    assertThatThrownBy(() -> SPARK.sql("SELECT * FROM flipped.run.vstar").collect())
        .isInstanceOf(Exception.class);
  }

  @Test
  void storedSamplesAreWorthSomethingElseUnderAnotherRule() {
    TestRun run = new TestRun(root.resolve("it's 1"));
    String out = root.resolve("it's 1").toString();
    int code =
        run.runPlain(
            new RescoreJob(),
            "--out",
            out,
            "--as",
            "quick",
            "--reward",
            "IF(success, 1, 0.2) - 0.01 * turns",
            "--success",
            "turns < 4",
            "--beta1",
            "0.3");
    assertThat(code).as(run.errors()).isZero();
    Row same =
        SPARK
            .sql(
                """
                SELECT count(*), max(abs(v.v_star - e.v)), max(abs(v.success_rate - e.s)),
                       count(DISTINCT v.reward_fingerprint, o.reward_fingerprint),
                       count_if(v.policy_fingerprint = o.policy_fingerprint),
                       count_if(v.reward_fingerprint = o.reward_fingerprint OR v.run_id = o.run_id)
                FROM %1$svstar_quick v JOIN %1$svstar o USING (task_id) JOIN (
                  SELECT task_id, avg(int(turns < 4)) s,
                    vstar(IF(success, 1, 0.2) - 0.01 * turns, 0.3) v
                  FROM %1$ssamples GROUP BY task_id) e USING (task_id)
                """
                    .formatted(FIRST))
            .first();
    assertThat(same.getLong(0)).isEqualTo(347);
    assertThat(same.getDouble(1)).isLessThan(1e-12);
    assertThat(same.getDouble(2)).isZero();
    assertThat(same.getLong(3)).isEqualTo(1);
    assertThat(same.getLong(4)).isEqualTo(347);
    assertThat(same.getLong(5)).isZero();
    assertThat(strings("SHOW TBLPROPERTIES " + FIRST + "vstar_quick", 1))
        .contains("IF(success, 1, 0.2) - 0.01 * turns", "turns < 4");
    assertThat(value("SELECT DISTINCT beta1 FROM " + FIRST + "vstar")).isEqualTo(0.25);

    // The mean return; of an older state the rule is not said, since it is another's.
    run.runPlain(new RescoreJob(), "--out", out, "--as", "quick", "--beta1", "0");
    assertThat(strings("SHOW TBLPROPERTIES " + FIRST + "vstar_quick", 1))
        .contains("return", "success")
        .doesNotContain("turns < 4")
        .anyMatch(said -> said.contains("beta1 0.0, "));
    assertThat(value("SELECT max(abs(v_star - return_mean)) FROM " + FIRST + "vstar_quick"))
        .isEqualTo(0.0);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  @Test
  void versionsKeepTheirNumbersWhenSomebodyDeletesOne() throws IOException {
    Path numbers = root.resolve("numbers");
    copy(root.resolve("it's 1/tables"), numbers.resolve("tables"));
    String beta1 = "SELECT DISTINCT beta1 FROM runs.numbers.vstar VERSION AS OF ";
    assertThat(value(beta1 + 1)).isEqualTo(0.5);
    try (Stream<Path> manifests = Files.list(numbers.resolve("tables/_log/vstar/manifests"))) {
      Files.delete(manifests.sorted().findFirst().orElseThrow());
    }
    assertThat(value(beta1 + 2)).isEqualTo(0.25);
    assertThatThrownBy(() -> SPARK.sql(beta1 + 1)).hasMessageContaining("expected 2 to 2");
    AtomicFiles.delete(numbers);
  }

  @Test
  void aRuleThatCannotBeAppliedIsRefusedInOneLineAndLeavesNoTable() {
    String[][] refused = {
      {"--reward", "retrun", "cannot be resolved"},
      {"--reward", "1 +", "Syntax error"},
      {"--reward", "stop_reason", "it is STRING, expected a number"},
      {"--success", "turns", "it is INT, expected true or false"},
      {"--reward", "avg(return)", "one sample alone"},
      {"--reward", "rand()", "one sample alone"},
      {"--reward", "(SELECT 1)", "one sample alone"},
      {"--reward", "IF(turns < 100, NULL, 1.0)", "expected a finite number"},
      {"--samples", "0", "--samples is 0"},
      {"--samples", "64", "no task has more than 2 samples"},
      {"--beta1", "-1", "--beta1 is -1.0"}
    };
    TestRun run = new TestRun(root.resolve("it's 1"));
    String out = root.resolve("it's 1").toString();
    for (String[] rule : refused) {
      int code = run.runPlain(new RescoreJob(), "--out", out, "--as", "bad", rule[0], rule[1]);
      assertThat(code).as(rule[1]).isEqualTo(2);
      assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
      assertThat(run.errors()).contains(rule[2]);
    }
    int named = run.runPlain(new RescoreJob(), "--out", out, "--as", "Not a name");
    assertThat(named).isEqualTo(2);
    assertThat(run.errors()).contains("--as is 'Not a name'");
    assertThat(strings("SHOW TABLES IN runs.`it's 1`", 1)).doesNotContain("vstar_bad");
  }
}
