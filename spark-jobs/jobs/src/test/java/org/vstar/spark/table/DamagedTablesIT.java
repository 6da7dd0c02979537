package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/** What becomes of tables that disks, people and other programs have changed. */
class DamagedTablesIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  private static TestRun measured;
  @TempDir Path folder;
  private TestRun run;
  private List<String> samples;
  private List<String> values;

  @BeforeAll
  static void measure(@TempDir Path once) throws IOException {
    measured = new TestRun(once).withReference(1);
    assertThat(measured.run(new VStarJob())).as(measured.errors()).isZero();
  }

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  @BeforeEach
  void copy() throws IOException {
    run = measured.copy(folder.resolve("run"));
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

  private TableLog log() {
    return new TableLog(run.folder().store(), Tables.SAMPLES);
  }

  /** The files of samples, as manifests name them. */
  private List<DataFile> files() {
    return List.copyOf(log().now().files().values());
  }

  private SampleTable table() {
    return new SampleTable(UnitTable.SAMPLES, SPARK, run.folder().store(), warning -> {});
  }

  /** What is said when a job with this seed begins. */
  private String told(long seed) {
    List<String> said = new ArrayList<>();
    SampleTable table = new SampleTable(UnitTable.SAMPLES, SPARK, run.folder().store(), said::add);
    table.begin(fingerprints(), seed);
    table.indices();
    return String.join("\n", said);
  }

  private Fingerprints fingerprints() {
    return Fingerprints.of(run.reference(), run.environment(), run.config().sampling());
  }

  private void flip(Path file, long at) throws IOException {
    byte[] content = Files.readAllBytes(file);
    content[(int) at] ^= 16;
    Files.write(file, content);
  }

  private void assertMadeUp() {
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(samples()).isEqualTo(samples);
    assertThat(values()).isEqualTo(values);
  }

  @Test
  void everyFlippedBitOfAFileOfSamplesIsFound() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    DataFile file = files().get(0);
    Path path = run.path(file.name());
    byte[] whole = Files.readAllBytes(path);
    assertThat(file.damage(run.folder().store())).isNull();
    for (int i = 0; i < 150; i++) {
      byte[] flipped = whole.clone();
      flipped[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(path, flipped);
      assertThat(file.damage(run.folder().store())).contains("changed since it was written");
    }
    Files.delete(path);
    assertThat(file.damage(run.folder().store())).isEqualTo("it is missing");
  }

  /**
   * Checksums do not cover it, and Parquet's own reader would wait for the missing byte for ever.
   */
  @Test
  void aPageWhoseHeaderPromisesAnotherLengthIsDamagedAndNotWaitedFor() throws IOException {
    DataFile file = files().get(0);
    Path path = run.path(file.name());
    byte[] whole = Files.readAllBytes(path);
    // The first page's header: a struct of type, uncompressed and compressed size, as varints.
    assertThat(whole[4] == 0x15 && whole[6] == 0x15).as("a header of Thrift's").isTrue();
    whole[7] += 2;
    Files.write(path, whole);
    assertThatThrownBy(
            () -> ParquetCheck.read(run.folder().store(), file.name(), schema -> true, row -> {}))
        .hasMessageContaining("bytes, its header says");
  }

  @Test
  void damagedCutShortAndMissingFilesAreNoLongerUsedAndTheirSamplesTakenAgain() throws IOException {
    for (int i = 0; i < 3; i++) {
      DataFile file = files().get(0);
      Path path = run.path(file.name());
      switch (i) {
        case 0 -> flip(path, file.bytes() / 3);
        case 1 -> Files.write(path, Arrays.copyOf(Files.readAllBytes(path), 99));
        default -> Files.delete(path);
      }
      assertThat(told(7)).contains(file.name() + " is no longer used (it ");
      assertMadeUp();
      assertThat(files()).hasSize(1).doesNotContain(file);
    }
  }

  @Test
  void whatNoManifestNamesIsNotInTheTable() throws IOException {
    TestRun other = new TestRun(folder.resolve("other"), "seed=8").withReference(1);
    assertThat(other.run(new VStarJob())).isZero();
    DataFile foreign =
        new TableLog(other.folder().store(), Tables.SAMPLES)
            .now()
            .files()
            .values()
            .iterator()
            .next();
    Files.copy(other.path(foreign.name()), run.path(foreign.name()));
    Files.copy(run.path(files().get(0).name()), run.path("tables/samples/copy.parquet"));
    Files.writeString(run.path("tables/samples/notes.txt"), "not a table");
    assertMadeUp();
    assertThat(tables().samples().count()).isEqualTo(samples.size());
  }

  private void add(String unit, List<Sample> rows) throws IOException {
    Store store = run.folder().store();
    table().commit(SampleFile.write(store, unit, rows, fingerprints()).stream().toList());
  }

  @Test
  void samplesThatWereWrittenTwiceCountOnce() throws IOException {
    List<Sample> some =
        tables().samples().where("sample_index = 0").collectAsList().stream()
            .map(DamagedTablesIT::sample)
            .toList();
    add("again", some);
    assertThat(told(7)).contains("all of its samples are in other files");
    List<Sample> mixed = new ArrayList<>(some.subList(0, 5));
    mixed.add(sample(tables().samples().withColumn("sample_index", lit(9)).first()));
    add("mixed", mixed);
    assertThat(told(7)).contains("(5 of 6 of its samples are in other files)");
    assertMadeUp();
    assertThat(files()).hasSize(1);
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
  void anotherSeedBeginsAnotherRunAndTheFormerStaysAsAVersion() {
    assertThat(told(8))
        .contains("is of another run (seed 7, this run has 8): this one begins anew");
    assertThat(run.run(new VStarJob(), "--set", "seed=8")).as(run.errors()).isZero();
    assertThat(samples()).hasSameSizeAs(samples).isNotEqualTo(samples);
    assertThat(values()).isNotEqualTo(values);
    assertThat(new StoredTables(run.folder().store()).at(StoredTables.VSTAR, "1").places())
        .hasSize(1)
        .allSatisfy(
            place -> assertThat(rows(SPARK.read().parquet(place.toString()))).isEqualTo(values));
    assertThat(told(7))
        .contains("begins with the " + samples.size() + " samples that it has from before");
    assertMadeUp();
  }

  @Test
  void aDamagedManifestIsToldAndNothingIsChanged() throws IOException {
    Path manifest;
    try (Stream<Path> all = Files.list(run.path("tables/_log/samples/manifests"))) {
      manifest = all.sorted().toList().get(1);
    }
    byte[] content = Files.readAllBytes(manifest);
    flip(manifest, content.length / 2);
    assertThat(run.run(new VStarJob())).isEqualTo(2);
    assertThat(run.errors()).startsWith("error: ").contains("manifests", "delete it, then run");
    Files.delete(manifest);
    assertMadeUp();
  }

  @Test
  void aDamagedTableOfTasksIsWrittenAgain() throws IOException {
    DataFile tasks =
        new TableLog(run.folder().store(), Tables.TASKS).now().files().values().iterator().next();
    flip(run.path(tasks.name()), tasks.bytes() / 2);
    assertMadeUp();
    assertThat(tables().tasks().count()).isPositive();
  }

  private void assertTrainingRefuses(String... parts) {
    assertThat(run.run(new TrainJob())).isEqualTo(2);
    assertThat(run.errors().lines()).as(run.errors()).hasSize(1);
    assertThat(run.errors()).startsWith("error: ").contains(parts);
    assertThat(run.path("train-regression")).doesNotExist();
  }

  private TableFile vstar() {
    return new TableFile(run.folder().store(), Tables.VSTAR, Columns.VSTAR);
  }

  /** Writes another V* table, as another Vstar could. */
  private void change(UnaryOperator<Dataset<Row>> how) {
    StructType nullable = new StructType();
    for (StructField column : Columns.VSTAR.fields()) {
      nullable = nullable.add(column.name(), column.dataType(), true);
    }
    new TableFile(run.folder().store(), Tables.VSTAR, nullable)
        .replace(how.apply(SPARK.read().parquet(folder.resolve("kept").toString())), 0);
  }

  @Test
  void aValueTableWithNullsNaNMissingOrDoubledRowsIsRefusedAtTheDoor() throws IOException {
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
  void trainingDoesNotGoOnWithAnotherValueTableThanItsCheckpointsAndGoesOnWithTheirs()
      throws IOException {
    tables().vstar().write().parquet(folder.resolve("kept").toString());
    change(t -> t);
    assertThat(run.run(new TrainJob(), "--set", "train.steps=1")).as(run.errors()).isZero();
    String[] more = {"--resume", "--set", "train.steps=2"};
    change(t -> t.withColumn("v_star", col("v_star").plus(0.001)));
    assertThat(run.run(new TrainJob(), more)).isEqualTo(2);
    assertThat(run.errors())
        .contains("step-000001 is of a run with other settings (vStarTable was ");
    change(t -> t);
    assertThat(run.run(new TrainJob(), more)).as(run.errors()).isZero();
  }

  @Test
  void aValueTableThatWasChangedIsRefusedAndWrittenAgainByTheNextJob() throws IOException {
    assertThat(tables().isWhole()).isTrue();
    DataFile table = vstar().now().orElseThrow();
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 3; i++) {
      flip(run.path(table.name()), random.nextLong(table.bytes()));
      assertThat(tables().isWhole()).isFalse();
      assertTrainingRefuses(table.name() + ": it was cut short or changed", "submit/vstar again");
    }
    assertMadeUp();
    assertThat(rows(SPARK.read().parquet(run.path("tables/vstar").toString()))).isEqualTo(values);
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
