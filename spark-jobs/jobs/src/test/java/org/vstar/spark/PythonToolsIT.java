package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructField;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.model.PythonEnvironment;
import org.vstar.spark.SubmitCommand.Said;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.value.VStarJob;

/**
 * A run's tables in what users have in Python: pandas, pyarrow, Polars, DuckDB, pyiceberg, PySpark.
 * Needs a Python 3 (see {@link PythonEnvironment}).
 */
class PythonToolsIT {

  private static final Path SCRIPTS = Path.of("src/test/python");
  private static final List<String> READERS = List.of("pandas", "pyarrow", "polars", "duckdb");

  @TempDir static Path folder;

  private static PythonEnvironment python;

  /** What Spark itself reads: columns and rows by table, and the samples' returns together. */
  private static final Map<String, List<String>> COLUMNS = new LinkedHashMap<>();

  private static final Map<String, Long> ROWS = new LinkedHashMap<>();
  private static final Map<String, String> TYPES = new LinkedHashMap<>();

  /** What pyarrow calls Spark's types. */
  private static final Map<String, String> ARROW =
      Map.of(
          "int", "int32",
          "bigint", "int64",
          "double", "double",
          "boolean", "bool",
          "string", "string",
          "array<string>", "list<element: string not null>",
          "map<string,double>", "map<string, double");

  private static double returns;
  private static List<Double> values;

  @BeforeAll
  static void run() throws Exception {
    python = SubmitCommand.python();
    SparkSession spark =
        TestRun.session(
            "local[2]",
            Map.of(
                "spark.sql.catalog.lake",
                "org.apache.iceberg.spark.SparkCatalog",
                "spark.sql.catalog.lake.type",
                "jdbc",
                "spark.sql.catalog.lake.uri",
                "jdbc:sqlite:" + folder.resolve("lake.db"),
                "spark.sql.catalog.lake.warehouse",
                folder.resolve("warehouse").toUri().toString()));
    try {
      List<String> settings =
          new ArrayList<>(List.of("environment.testTargets=400", "vstar.tasksPerUnit=7"));
      // Iceberg has no runtime for Spark 4.2.
      if (!TestRun.SPARK4) {
        settings.add("iceberg={catalog: lake, namespace: shops}");
      }
      TestRun run =
          new TestRun(folder.resolve("runs/first"), settings.toArray(String[]::new))
              .withReference(1);
      assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
      // More samples of the same tasks: files of units, merged ones, and two versions.
      assertThat(run.run(new VStarJob(), "--samples", "4")).as(run.errors()).isZero();
      var tables = JobContext.tables(spark, run.folder());
      seen("samples", tables.samples());
      seen("vstar", tables.vstar());
      seen("tasks", tables.tasks());
      seen("headroom", tables.headroom().orElseThrow());
      returns = tables.samples().selectExpr("sum(`return`)").first().getDouble(0);
      values =
          tables.vstar().orderBy("task_id").select("v_star").collectAsList().stream()
              .map(row -> row.getDouble(0))
              .toList();
    } finally {
      spark.stop();
    }
  }

  private static void seen(String name, Dataset<Row> table) {
    COLUMNS.put(name, Arrays.stream(table.columns()).sorted().toList());
    for (StructField column : table.schema().fields()) {
      TYPES.put(name + "." + column.name(), column.dataType().simpleString());
    }
    ROWS.put(name, table.count());
  }

  private static String script(String name) {
    return SCRIPTS.resolve(name).toString();
  }

  @Test
  void readersThatKnowNothingOfVstarOpenEachTablesFolderAndItsIcebergTable() throws Exception {
    String tables = folder.resolve("runs/first/tables").toString();
    String lake = TestRun.SPARK4 ? "" : folder.resolve("lake.db").toString();
    List<String> words = new ArrayList<>(List.of(script("readers.py"), tables, lake, "shops"));
    words.addAll(ROWS.keySet());
    JsonNode seen = Json.MAPPER.readTree(python.run(words.toArray(String[]::new)));
    TYPES.forEach(
        (column, type) -> {
          String[] place = column.split("\\.");
          String found = seen.path("types").path(place[0]).path(place[1]).asText();
          assertThat(found).as(column).startsWith(ARROW.get(type));
        });
    ROWS.forEach(
        (table, rows) -> {
          List<String> readers = new ArrayList<>(READERS);
          if (List.of("samples", "vstar").contains(table) && !TestRun.SPARK4) {
            readers.add("pyiceberg");
          }
          for (String reader : readers) {
            JsonNode own = seen.path(table).path(reader);
            assertThat(own.path(0).asLong()).as(table + " by " + reader).isEqualTo(rows);
            List<String> columns = new ArrayList<>();
            own.path(1).forEach(column -> columns.add(column.asText()));
            assertThat(columns).as(table + " by " + reader).isEqualTo(COLUMNS.get(table));
          }
        });
    for (String reader : READERS) {
      assertThat(seen.path("returns").path(reader).asDouble()).isCloseTo(returns, within(1e-6));
    }
  }

  @Test
  void aSessionOfPySparkHasTheCatalogOfRunsAndTheFunctions() throws Exception {
    String root = folder.resolve("runs").toString();
    String jars = jars();
    JsonNode said = Json.MAPPER.readTree(python.run(script("session.py"), root, "first", jars));
    assertThat(said.path("version").asText()).startsWith(TestRun.SPARK4 ? "4.2." : "3.5.");
    assertThat(said.path("tables").toString()).contains("\"samples\"", "\"tasks\"", "\"vstar\"");
    assertThat(said.path("values")).hasSize(values.size());
    for (int i = 0; i < values.size(); i++) {
      assertThat(said.path("values").path(i).asDouble()).isEqualTo(values.get(i));
      assertThat(said.path("again").path(i).asDouble()).isCloseTo(values.get(i), within(1e-12));
    }
  }

  /** Vstar's jars as a build lays them out, for {@code spark.jars}. */
  private static String jars() throws IOException {
    Path target = Path.of(System.getProperty("build.directory"));
    try (Stream<Path> libraries = Files.list(target.resolve("lib"))) {
      return Stream.concat(
              Stream.of(target.resolve("vstar-spark-jobs.jar")),
              libraries.filter(jar -> jar.toString().endsWith(".jar")))
          .map(Path::toString)
          .collect(Collectors.joining(","));
    }
  }

  @Test
  void theFourJobsAndSqlRunOnTheSparkThatPipInstalls() throws Exception {
    String out = folder.resolve("pip").toString();
    List<String> words = new ArrayList<>();
    words.addAll(List.of("--config", SubmitCommand.PROJECT.resolve("conf/bandit.yaml").toString()));
    words.addAll(List.of("--out", out));
    for (String setting :
        List.of(
            "environment.tasks=16",
            "warmStart.imitation=" + (TestRun.SPARK4 ? "engine" : "dl4j"),
            "warmStart.rounds=1",
            "warmStart.batchesPerRound=2",
            "vstar.samples=2",
            "train.steps=2",
            "train.evaluateTasks=4")) {
      words.addAll(List.of("--set", setting));
    }
    List<String> jobs =
        TestRun.SPARK4
            ? List.of("quickstart")
            : List.of("warm-start", "vstar", "train", "evaluate");
    for (String job : jobs) {
      Said said = submit(job, words.toArray(String[]::new));
      assertThat(said.code()).as(job + ": " + said.errors()).isZero();
    }
    String evaluation = TestRun.SPARK4 ? "evaluation-final" : "evaluation";
    assertThat(folder.resolve("pip/" + evaluation + "/report.html")).exists();
    Said rows = submit("sql", "--out", out, "-e", "SELECT count(*) FROM vstar");
    assertThat(rows.output()).as(rows.errors()).containsPattern("\\b16\\b");
  }

  @Test
  @Timeout(300)
  void aJdbcClientAsksTheThriftServerOfTheSparkThatPipInstalls() throws Exception {
    try (ThriftServer server = ThriftServer.start(folder, "runs", ofPip());
        Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT v_star FROM runs.first.vstar ORDER BY task_id")) {
      List<Double> asked = new ArrayList<>();
      while (found.next()) {
        asked.add(found.getDouble(1));
      }
      assertThat(asked).isEqualTo(values);
    }
  }

  private static Map<String, String> ofPip() throws Exception {
    return Map.of("SPARK_HOME", python.packageFolder("pyspark").toString());
  }

  private static Said submit(String command, String... arguments) throws Exception {
    ProcessBuilder process =
        SubmitCommand.process(SubmitCommand.PROJECT, folder, command, arguments);
    process.environment().putAll(ofPip());
    return SubmitCommand.said(process, folder);
  }
}
