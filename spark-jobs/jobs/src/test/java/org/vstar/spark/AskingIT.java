package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.SubmitCommand.Said;
import org.vstar.spark.value.VStarJob;

/** What people and programs ask of runs: submit/sql, submit/runs, and JDBC by submit/thrift. */
class AskingIT {

  private static final String HARDEST =
      "SELECT task_id, v_star, v_star_low, v_star_high FROM %svstar"
          + " ORDER BY v_star_high, v_star, task_id LIMIT 10";

  @TempDir static Path folder;

  /** What the table has, asked in this process. */
  private static List<String> hardest;

  @BeforeAll
  static void measure() throws IOException {
    SparkSession spark = TestRun.session("local[2]");
    TestRun run = new TestRun(folder.resolve("runs/a run")).withReference(1);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    new TestRun(folder.resolve("runs/second")).withReference(2);
    spark.read().parquet(run.path("tables/vstar").toString()).createOrReplaceTempView("vstar");
    hardest =
        spark.sql(HARDEST.formatted("")).collectAsList().stream()
            .map(row -> row.mkString(","))
            .toList();
    spark.stop();
  }

  private static Said run(String command, String... arguments) throws Exception {
    return SubmitCommand.said(
        SubmitCommand.process(SubmitCommand.PROJECT, folder, command, arguments), folder);
  }

  @Test
  void theShellBeginsInARunAndKnowsTheOthers() throws Exception {
    String sql =
        "SELECT count(*) AS tasks FROM vstar; SHOW NAMESPACES IN runs;"
            + " SELECT count(*) AS samples FROM runs.`a run`.samples;"
            + " SELECT reflect('java.lang.System', 'getenv', 'SPARK_LOCAL_IP') AS listens_at;";
    Said said = run("sql", "--out", "runs/a run", "-e", sql);
    assertThat(said.output())
        .as(said.errors())
        .isEqualTo("tasks\n347\nnamespace\n`a run`\nsecond\nsamples\n694\nlistens_at\n127.0.0.1\n");
    Said root = run("sql", "--root=runs", "-e", "SHOW TABLES IN runs.`a run`");
    assertThat(root.output()).as(root.errors()).contains("vstar");
  }

  @Test
  void anotherProgramGetsCsvOrJson() throws Exception {
    Said csv = run("sql", "--out", "runs/a run", "--output", "csv", "-e", HARDEST.formatted(""));
    List<String> lines = csv.output().lines().toList();
    assertThat(lines).as(csv.errors()).startsWith("task_id,v_star,v_star_low,v_star_high");
    assertThat(lines.subList(1, lines.size())).isEqualTo(hardest);

    String odd = "SELECT 'a \"b\", c\nd' AS `x,y`, array(1, NULL) AS list, NULL AS none, '' AS no;";
    Path file = Files.writeString(folder.resolve("odd.sql"), odd);
    Said quoted =
        run(
            "sql",
            "--root",
            "runs",
            "--output=csv",
            "-e",
            "SELECT *, ' b ' AS no FROM (" + odd.replace(";", ")"));
    assertThat(quoted.output())
        .as(quoted.errors())
        .isEqualTo("\"x,y\",list,none,no,no\r\n\"a \"\"b\"\", c\nd\",\"[1,null]\",,\"\", b \r\n");
    Said json = run("sql", "--root", "runs", "--output=json", "-f", file.toString());
    assertThat(json.output())
        .as(json.errors())
        .isEqualTo(
            "{\"x,y\":\"a \\\"b\\\", c\\nd\",\"list\":[1,null],\"none\":null,\"no\":\"\"}\n");

    Said wrong = run("sql", "--root", "runs", "--output", "csv", "-e", "SELECT * FROM nowhere");
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.log()).as(wrong.errors()).hasSize(1);
    assertThat(wrong.errors()).contains("nowhere");
  }

  @Test
  void runsAreListedWithWhatTheyHaveAndFilesThatNobodyNeedsAreDeleted() throws Exception {
    Said said = run("runs", "--root", "runs");
    assertThat(said.code()).as(said.errors()).isZero();
    List<String> lines = said.output().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("run     environment   policy");
    assertThat(lines.get(1))
        .containsPattern("a run +webshop-lite +[0-9a-f]{8} +0.5 +2 +347 +694 +V\\* measured +20");
    assertThat(lines.get(2)).containsPattern("second +– .* reference policy +–");
    assertThat(run("runs", "--root", "runs", "--json").output()).contains("\"run\" : \"second\"");
    Said nowhere = run("runs", "--root", "nowhere");
    assertThat(nowhere.code()).isEqualTo(2);
    assertThat(nowhere.log()).hasSize(1);

    String[] gc = {"gc", "--root", "runs", "--older-than", "0m"};
    String would = run("runs", "gc", "--root", "runs", "--older-than=0m", "--dry-run").output();
    assertThat(would)
        .containsPattern("a run: 7 files, \\d+ bytes would be deleted\nsecond: 0 files");
    assertThat(run("runs", gc).output()).contains("a run: 7 files, ", " bytes deleted");
    assertThat(run("runs", gc).output()).contains("a run: 0 files, ");
    assertThat(run("runs", "gc", "--older-than", "week").errors()).contains("90m, 12h or 7d");
    Said samples = run("sql", "--out", "runs/a run", "-e", "SELECT count(*) AS n FROM samples");
    assertThat(samples.output()).as(samples.errors()).isEqualTo("n\n694\n");
  }

  @Test
  @Timeout(300)
  void aJdbcClientThatKnowsNothingOfVstarAsksWhichTasksAreHardestAndHowSureThatIs()
      throws Exception {
    try (ThriftServer server = ThriftServer.start(folder, "runs", Map.of());
        Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      List<String> rows = new ArrayList<>();
      try (ResultSet found = statement.executeQuery(HARDEST.formatted("runs.`a run`."))) {
        while (found.next()) {
          rows.add(
              String.join(
                  ",",
                  found.getString(1),
                  found.getDouble(2) + "",
                  found.getDouble(3) + "",
                  found.getDouble(4) + ""));
        }
      }
      assertThat(rows).isEqualTo(hardest);
      String again =
          "SELECT round(max(abs(v - v_star)), 9) FROM runs.`a run`.vstar JOIN (SELECT task_id,"
              + " vstar(return, 0.5) v FROM runs.`a run`.samples GROUP BY task_id) USING (task_id)";
      try (ResultSet found = statement.executeQuery(again)) {
        found.next();
        assertThat(found.getDouble(1)).isZero();
      }
    }
  }
}
