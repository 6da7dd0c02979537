package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/** What becomes of tables that disks, people and other programs have changed. */
class DamagedTablesIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @TempDir Path folder;
  private TestRun run;
  private List<String> samples;
  private List<String> values;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  @BeforeEach
  void measure() throws IOException {
    run = new TestRun(folder.resolve("run")).withReference(1);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    samples = samples();
    values = values();
  }

  private Tables tables() {
    return JobContext.tables(SPARK, run.folder());
  }

  private List<String> samples() {
    return rows(tables().samples().drop("duration_ms")).stream().distinct().toList();
  }

  private List<String> values() {
    return rows(tables().vstar());
  }

  private static List<String> rows(Dataset<Row> table) {
    return table.toJSON().collectAsList().stream().sorted().toList();
  }

  private List<Path> units() throws IOException {
    try (Stream<Path> files = Files.list(run.path("tables/samples"))) {
      return files.filter(f -> f.toString().endsWith(".parquet")).sorted().toList();
    }
  }

  /** As on a file system that keeps no checksums of its own. */
  private static void write(Path file, byte[] content) throws IOException {
    Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
    Files.write(file, content);
  }

  private void assertMadeUp() {
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(samples()).isEqualTo(samples);
    assertThat(values()).isEqualTo(values);
  }

  @Test
  void aFlippedBitIsFoundOrChangesNoSample() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    Path unit = units().get(0);
    String name = "tables/samples/" + unit.getFileName();
    byte[] whole = Files.readAllBytes(unit);
    Fingerprints own = Fingerprints.of(run.reference(), run.environment(), run.config().sampling());
    Map<String, ?> indices = SampleFile.look(run.folder().store(), name, own, 7).indices();
    assertThat(indices).isNotEmpty();
    List<String> before = read(unit);
    int found = 0;
    for (int i = 0; i < 150; i++) {
      byte[] flipped = whole.clone();
      int at = random.nextInt(whole.length);
      flipped[at] ^= (byte) (1 << random.nextInt(8));
      write(unit, flipped);
      SampleFile.Look look = SampleFile.look(run.folder().store(), name, own, 7);
      if (look.usable()) {
        assertThat(look.indices()).as("byte %d", at).isEqualTo(indices);
        assertThat(read(unit)).as("byte %d", at).isEqualTo(before);
      } else {
        found++;
      }
    }
    // The rest hit the footer's and the headers' statistics, which nothing reads. How many depends
    // on the file's own bytes: a sample's time is measured.
    assertThat(found).isGreaterThan(75);
  }

  /** Flips bits of a table's pages; counts how often Spark reads other rows and does not say so. */
  private static int unnoticed(Path table, byte[] whole, boolean verify) throws IOException {
    SPARK
        .sparkContext()
        .hadoopConfiguration()
        .setBoolean("parquet.page.verify-checksum.enabled", verify);
    List<String> before = rows(SPARK.read().parquet(table.toString()));
    int unnoticed = 0;
    for (int at = 100; at < whole.length / 2; at += whole.length / 60) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      write(table, flipped);
      try {
        unnoticed += rows(SPARK.read().parquet(table.toString())).equals(before) ? 0 : 1;
      } catch (Exception e) {
        assertThat(e).hasStackTraceContaining("parquet");
      }
    }
    write(table, whole);
    return unnoticed;
  }

  private List<String> read(Path unit) {
    return rows(SPARK.read().schema(tables().samples().schema()).parquet(unit.toString()));
  }

  @Test
  void sparksVectorizedReaderNoticesEveryFlippedBitOfAPageOnceItVerifiesChecksums()
      throws IOException {
    Path written = folder.resolve("written");
    SPARK
        .range(0, 500)
        .selectExpr("id", "sin(id) AS return")
        .coalesce(1)
        .write()
        .option("compression", "uncompressed")
        .parquet(written.toString());
    Path table = folder.resolve("table.parquet");
    try (Stream<Path> files = Files.list(written)) {
      Path part = files.filter(f -> f.toString().endsWith(".parquet")).findFirst().orElseThrow();
      write(table, Files.readAllBytes(part));
    }
    byte[] whole = Files.readAllBytes(table);
    assertThat(unnoticed(table, whole, false)).as("without checksums").isPositive();
    assertThat(unnoticed(table, whole, true)).as("with checksums").isZero();
  }

  /**
   * Checksums do not cover it, and Parquet's own reader would wait for the missing byte for ever.
   */
  @Test
  void aPageWhoseHeaderPromisesAnotherLengthIsDamagedAndNotWaitedFor() throws IOException {
    Path unit = units().get(0);
    byte[] whole = Files.readAllBytes(unit);
    Fingerprints own = Fingerprints.of(run.reference(), run.environment(), run.config().sampling());
    // The first page's header: a struct of type, uncompressed and compressed size, as varints.
    assertThat(whole[4] == 0x15 && whole[6] == 0x15).as("a header of Thrift's").isTrue();
    whole[7] += 2;
    write(unit, whole);
    SampleFile.Look look =
        SampleFile.look(run.folder().store(), "tables/samples/" + unit.getFileName(), own, 7);
    assertThat(look.damage()).contains("bytes, its header says");
  }

  @Test
  void damagedTruncatedEmptyAndStrayFilesArePutAsideAndTheirSamplesTakenAgain() throws IOException {
    List<Path> units = units();
    byte[] first = Files.readAllBytes(units.get(0));
    first[first.length / 3] ^= 16;
    write(units.get(0), first);
    write(units.get(1), java.util.Arrays.copyOf(first, first.length / 2));
    write(units.get(2), new byte[0]);
    Process pipe =
        new ProcessBuilder("mkfifo", run.path("tables/samples/unit-pipe.parquet").toString())
            .start();
    assertThat(pipe.onExit().join().exitValue()).isZero();
    write(run.path("tables/samples/notes.txt"), "not a table".getBytes());
    Files.copy(units.get(3), run.path("tables/samples/copy.parquet"));
    assertMadeUp();
    assertThat(units())
        .hasSameSizeAs(units)
        .doesNotContain(run.path("tables/samples/copy.parquet"));
    try (Stream<Path> aside = Files.list(run.path("tables/set-aside"))) {
      assertThat(aside.filter(f -> !f.getFileName().toString().startsWith("."))).hasSize(6);
    }
  }

  @Test
  void aUnitOfAnotherRunIsPutAsideAndNotTakenForThisOnes() throws IOException {
    TestRun other = new TestRun(folder.resolve("other"), "seed=8").withReference(1);
    assertThat(other.run(new VStarJob())).isZero();
    try (Stream<Path> foreign = Files.list(other.path("tables/samples"))) {
      Path unit = foreign.filter(f -> f.toString().endsWith(".parquet")).findFirst().orElseThrow();
      Files.copy(unit, run.path("tables/samples/unit-0000000000000000.parquet"));
    }
    assertMadeUp();
    assertThat(run.path("tables/samples/unit-0000000000000000.parquet")).doesNotExist();
  }

  @Test
  void samplesThatAreThereTwiceCountOnce() throws IOException {
    for (Path unit : units()) {
      Files.copy(unit, unit.resolveSibling("unit-copy" + unit.getFileName()));
    }
    assertMadeUp();
    assertThat(tables().samples().count()).as("for SQL too").isEqualTo(samples.size());
  }

  @Test
  void ofAUnitThatWasWrittenTwiceTheWholeOneStays() throws IOException {
    Path unit = units().get(0);
    List<Sample> some =
        SPARK
            .read()
            .schema(tables().samples().schema())
            .parquet(unit.toString())
            .where("sample_index = 0")
            .collectAsList()
            .stream()
            .map(DamagedTablesIT::sample)
            .toList();
    Fingerprints own = Fingerprints.of(run.reference(), run.environment(), run.config().sampling());
    SampleFile.write(run.folder().store(), some, own);
    assertThat(units()).hasSize(8);
    assertMadeUp();
    assertThat(units()).hasSize(7).contains(unit);
    assertThat(tables().samples().count()).isEqualTo(samples.size());
  }

  private static Sample sample(Row row) {
    return new Sample(
        row.getAs("task_id"),
        row.getAs("sample_index"),
        row.getAs("seed"),
        row.getAs("return"),
        row.getAs("success"),
        row.getAs("turns"),
        row.getAs("tokens"),
        row.getAs("stop_reason"),
        row.getList(row.fieldIndex("actions")),
        row.getAs("ref_logprob"),
        row.getJavaMap(row.fieldIndex("reward_parts")),
        row.getAs("duration_ms"));
  }

  @Test
  void aDamagedTableOfTasksIsWrittenAgain() throws IOException {
    Path tasks = run.path("tables/tasks/tasks.parquet");
    byte[] content = Files.readAllBytes(tasks);
    content[content.length / 2] ^= 1;
    write(tasks, content);
    assertMadeUp();
  }

  private void assertTrainingRefuses(String... parts) {
    assertThat(run.run(new TrainJob())).isEqualTo(2);
    assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
    assertThat(run.errors()).startsWith("error: ").contains(parts);
    assertThat(run.path("train-regression")).doesNotExist();
  }

  /** Puts something else in the place of the V* table, as another program could. */
  private void change(UnaryOperator<Dataset<Row>> how) throws IOException {
    Path changed = folder.resolve("changed");
    Dataset<Row> rows = SPARK.read().parquet(folder.resolve("kept").toString());
    how.apply(rows).coalesce(1).write().mode("overwrite").parquet(changed.toString());
    try (Stream<Path> files = Files.list(changed)) {
      Path file = files.filter(f -> f.toString().endsWith(".parquet")).findFirst().orElseThrow();
      write(run.path("tables/vstar/vstar.parquet"), Files.readAllBytes(file));
    }
  }

  @Test
  void aValueTableWithWrongTypesNullsNaNMissingOrDoubledRowsIsRefusedAtTheDoor()
      throws IOException {
    tables().vstar().write().parquet(folder.resolve("kept").toString());
    String someTask = tables().vstar().first().getAs("task_id");
    Map<String, UnaryOperator<Dataset<Row>>> changes = new LinkedHashMap<>();
    changes.put("v_star NaN for task", t -> t.withColumn("v_star", lit(Double.NaN)));
    changes.put(
        "v_star -Infinity for task " + someTask,
        t ->
            t.withColumn(
                "v_star",
                when(col("task_id").equalTo(someTask), Double.NEGATIVE_INFINITY)
                    .otherwise(col("v_star"))));
    changes.put(
        "return_mean null for task", t -> t.withColumn("return_mean", lit(null).cast("double")));
    changes.put("v_star null for task", t -> t.withColumn("v_star", lit(null).cast("double")));
    changes.put("task_id null", t -> t.withColumn("task_id", lit(null).cast("string")));
    changes.put("n null", t -> t.withColumn("n", lit(null).cast("int")));
    changes.put(
        "other columns or types", t -> t.withColumn("v_star", col("v_star").cast("string")));
    changes.put("other columns or types: message", t -> t.drop("beta1"));
    changes.put(someTask + " twice", t -> t.union(t.where(col("task_id").equalTo(someTask))));
    changes.put(someTask + " (", t -> t.where(col("task_id").notEqual(someTask)));
    changes.put("has beta1 0.25", t -> t.withColumn("beta1", lit(0.25)));
    for (var change : changes.entrySet()) {
      change(change.getValue());
      assertTrainingRefuses(change.getKey());
    }
    change(t -> t);
    assertThat(run.run(new TrainJob(), "--set", "train.steps=1")).as(run.errors()).isZero();
  }

  @Test
  void aFlippedBitInTheValueTableIsRefusedOrChangesNoValue() throws IOException {
    Path table = run.path("tables/vstar/vstar.parquet");
    byte[] whole = Files.readAllBytes(table);
    VStarTable.Settings settings = new VStarTable.Settings(2, 0.5, 7, Optional.empty());
    Fingerprints own = Fingerprints.of(run.reference(), run.environment(), run.config().sampling());
    VStarTable.Values before = new VStarTable(tables()).values(own, settings);
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 60; i++) {
      byte[] flipped = whole.clone();
      int at = random.nextInt(whole.length);
      flipped[at] ^= (byte) (1 << random.nextInt(8));
      write(table, flipped);
      try {
        assertThat(new VStarTable(tables()).values(own, settings))
            .as("byte %d", at)
            .isEqualTo(before);
      } catch (org.vstar.common.InvalidInputException e) {
        assertThat(e.getMessage()).contains("tables/vstar").doesNotContain("\n");
      }
    }
  }

  @Test
  void damagedTimesMetricsAndFormatAreToldBeforeWorkIsDone() throws IOException {
    Files.writeString(run.path("times.json"), "{\"V*\": \"long\"}");
    assertTrainingRefuses("times.json: 'V*' is \"long\", expected seconds: delete the file");
    Files.writeString(run.path("times.json"), "null");
    assertTrainingRefuses("times.json");
    Files.delete(run.path("times.json"));
    for (String format :
        List.of("null", "[]", "{\"version\":null}", "{\"version\":1.5}", "{}", "{")) {
      Files.writeString(run.path("tables/format.json"), format);
      assertTrainingRefuses("format.json");
    }
  }
}
