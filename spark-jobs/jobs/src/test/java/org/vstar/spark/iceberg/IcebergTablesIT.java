package org.vstar.spark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.value.VStarJob;

/** A run's tables in a real Iceberg catalog, which keeps what it knows in SQLite. */
class IcebergTablesIT {

  private static final String SECTION = "iceberg={catalog: lake, namespace: shops.%s}";

  @TempDir static Path folder;
  private static SparkSession spark;

  @BeforeAll
  static void start() {
    assumeFalse(TestRun.SPARK4, "Iceberg has no runtime for Spark 4.2");
    String lake = "spark.sql.catalog.lake";
    spark =
        TestRun.session(
            "local[2]",
            Map.of(
                lake,
                "org.apache.iceberg.spark.SparkCatalog",
                lake + ".type",
                "jdbc",
                lake + ".uri",
                "jdbc:sqlite:" + folder.resolve("lake.db"),
                lake + ".warehouse",
                folder.resolve("warehouse").toUri().toString()));
  }

  @AfterAll
  static void stop() {
    if (spark != null) {
      spark.stop();
    }
  }

  private static TestRun run(String name, String namespace, String... more) throws IOException {
    String[] settings = new String[more.length + 1];
    settings[0] = SECTION.formatted(namespace);
    System.arraycopy(more, 0, settings, 1, more.length);
    return new TestRun(folder.resolve(name), settings).withReference(1);
  }

  private static List<String> rows(Dataset<Row> rows) {
    return rows.toJSON().collectAsList().stream().sorted().toList();
  }

  private static void assertSameTables(TestRun run, String namespace) {
    var tables = JobContext.tables(spark, run.folder());
    assertThat(rows(spark.table("lake.shops." + namespace + ".samples")))
        .isEqualTo(rows(tables.samples()));
    assertThat(rows(spark.table("lake.shops." + namespace + ".vstar")))
        .isEqualTo(rows(tables.vstar()));
  }

  @Test
  void theCatalogNamesTheSameFilesAndEachJobThatChangesThemIsOneSnapshot() throws IOException {
    TestRun run = run("first", "first");
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertSameTables(run, "first");
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    String files = "SELECT file_path FROM lake.shops.first.samples.files";
    assertThat(spark.sql(files).collectAsList())
        .as("nothing was copied")
        .allMatch(row -> row.getString(0).startsWith(run.folder().store().path("").toString()));

    TestRun more = run("first", "first", "vstar.samples=3");
    assertThat(more.run(new VStarJob())).as(more.errors()).isZero();
    assertSameTables(more, "first");
    List<Row> snapshots =
        spark
            .sql("SELECT snapshot_id FROM lake.shops.first.vstar.snapshots ORDER BY committed_at")
            .collectAsList();
    assertThat(snapshots).hasSize(2);
    Row before =
        spark
            .sql(
                "SELECT max(n) FROM lake.shops.first.vstar VERSION AS OF "
                    + snapshots.get(0).getLong(0))
            .first();
    assertThat(before.getInt(0)).isEqualTo(2);
    Row hardest =
        spark
            .sql("SELECT count(*) FROM lake.shops.first.samples WHERE return > 0.5 AND success")
            .first();
    Row own =
        JobContext.tables(spark, more.folder())
            .samples()
            .where("return > 0.5 AND success")
            .selectExpr("count(*)")
            .first();
    assertThat(hardest.getLong(0)).as("filters by Iceberg's statistics").isEqualTo(own.getLong(0));
  }

  @Test
  void aTableOfAnotherRunIsRefusedAndLeftAsItIs() throws IOException {
    TestRun second = run("second", "second");
    assertThat(second.run(new VStarJob())).as(second.errors()).isZero();
    TestRun third = run("third", "second");
    assertThat(third.run(new VStarJob())).isEqualTo(2);
    assertThat(third.errors())
        .contains("lake.shops.second.samples is of the run in ", "use another iceberg.namespace");
    assertSameTables(second, "second");
  }

  @Test
  void aCatalogThatSparkDoesNotKnowIsRefusedBeforeAnyWork() throws IOException {
    TestRun run =
        new TestRun(folder.resolve("none"), "iceberg={catalog: sea, namespace: a}")
            .withReference(1);
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(run.errors().lines()).singleElement().asString().contains("spark.sql.catalog.sea");
    assertThat(Files.exists(run.path("tables/samples"))).isFalse();
  }
}
