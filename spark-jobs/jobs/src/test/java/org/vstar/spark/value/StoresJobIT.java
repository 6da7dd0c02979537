package org.vstar.spark.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vstar.common.RunStore;
import org.vstar.spark.TestRun;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.store.FaultyStores;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TestStore;
import org.vstar.spark.store.TestStores;
import org.vstar.spark.table.StoredTables;
import org.vstar.spark.table.Tables;
import org.vstar.spark.train.TrainJob;

/**
 * The jobs of a run on HDFS and on S3, whole and out of order. They are killed there by {@code
 * ChaosIT}, and on a disk by {@code VStarJobIT} and {@code TrainJobIT}.
 */
@ExtendWith(TestStores.class)
class StoresJobIT {

  @TempDir static Path folder;
  private static List<TestStore> stores;
  private static SparkSession spark;
  private static List<String> samples;
  private static List<String> values;
  private static String trained;

  @BeforeAll
  static void measureUndisturbed(TestStores.All all) throws IOException {
    stores = all.stores();
    spark = TestRun.session("local[2]", all.spark());
    TestRun whole = new TestRun(folder.resolve("undisturbed"), SETTINGS).withReference(1);
    assertThat(whole.run(new VStarJob())).as(whole.errors()).isZero();
    assertThat(whole.run(new TrainJob())).as(whole.errors()).isZero();
    samples = whole.samples(spark);
    values = whole.values(spark);
    trained = whole.trained();
  }

  private static final String[] SETTINGS = {
    "environment.testTargets=300",
    "vstar.tasksPerUnit=5",
    "vstar.samples=4",
    "train.checkpointEvery=1"
  };

  /** Every unit waits for its store many times, where the store is out of order. */
  private static final String[] FEW_UNITS = {
    "environment.testTargets=300", "vstar.tasksPerUnit=25", "vstar.samples=4"
  };

  @AfterAll
  static void stop() {
    spark.stop();
  }

  static List<TestStore> stores() {
    return stores.stream().filter(store -> store.root().contains("://")).toList();
  }

  private static TestRun run(TestStore on, String name, String... settings) throws IOException {
    Path beside = Files.createDirectories(folder.resolve("beside")).resolve(name + on.hashCode());
    return TestRun.on(on.root() + "/" + name, on.spark(), beside, settings)
        .withReference(1)
        .configFrom(on.root() + "/project");
  }

  private static long kept(TestRun run) {
    return kept(run.folder().store());
  }

  private static long kept(Store store) {
    return new TableLog(store, Tables.SAMPLES)
        .now().files().values().stream().mapToLong(file -> file.rows()).sum();
  }

  /** The same run by drivers and executors whose store fails every third call. */
  private static TestRun faulty(TestStore on, String name) {
    Map<String, String> settings = new HashMap<>(on.spark());
    // A cluster gives a task several tries.
    settings.put("spark.master", "local[2,8]");
    settings.put("spark.hadoop.fs.hdfs.impl", FaultyStores.Calls.class.getName());
    settings.put(
        "spark.hadoop.fs.AbstractFileSystem.hdfs.impl", FaultyStores.Renaming.class.getName());
    settings.put("spark.hadoop.fs.s3a.impl", FaultyStores.Calls.class.getName());
    Path beside = folder.resolve("beside").resolve("faulty" + on.hashCode());
    return TestRun.on(on.root() + "/" + name, settings, beside, FEW_UNITS);
  }

  private static void awaitSamples(TestRun run, Process process) throws InterruptedException {
    Store store = run.folder().store();
    while (process.isAlive() && kept(store) == 0) {
      Thread.sleep(50);
    }
  }

  /**
   * What a killed holder of the lock left has to grow old first, where there are no other locks.
   */
  private static void resume(TestRun run, Supplier<Callable<Integer>> job)
      throws InterruptedException {
    int code = run.run(job.get(), "--resume");
    for (int tries = 0; code != 0 && tries < 60; tries++) {
      assertThat(run.errors()).contains(" is being written by submit/");
      Thread.sleep(1000);
      code = run.run(job.get(), "--resume");
    }
    assertThat(code).as(run.errors()).isZero();
  }

  /** Flips a bit in the middle of a file of samples. */
  private static void damage(TestRun run) throws IOException {
    RunStore store = run.folder().store();
    String name = store.list("tables/samples/samples-").get(0);
    byte[] content;
    try (InputStream in = store.read(name)) {
      content = in.readAllBytes();
    }
    content[content.length / 2] ^= 1;
    store.publish(name, out -> out.write(content));
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aRunEndsWithTheSameRowsAndWeightsAsOnADiskAndTellsNoSecret(TestStore on) throws Exception {
    TestRun run = run(on, "whole", SETTINGS);
    Process process = run.start(VStarJob.class);
    awaitSamples(run, process);
    assertThat(run.run(new VStarJob())).as("beside another").isEqualTo(2);
    assertThat(run.errors()).contains("tables is being written by submit/vstar, process ");
    assertThat(process.waitFor()).as(() -> log(run)).isZero();
    assertThat(run.samples(spark)).isEqualTo(samples);
    assertThat(run.values(spark)).isEqualTo(values);
    assertThat(new StoredTables(run.folder().store()).names())
        .containsExactly("headroom", "samples", "tasks", "vstar");

    damage(run);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(run.samples(spark)).as("a damaged file is made up for").isEqualTo(samples);

    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    assertThat(run.trained()).isEqualTo(trained);
    assertThat(run.run(new EvaluateJob())).as(run.errors()).isZero();
    assertThat(run.folder().store().list("evaluation/")).contains("evaluation/report.html");
    assertThat(run.log()).noneMatch(line -> line.contains(TestStore.SECRET));
    for (String name : run.folder().store().list("")) {
      assertThat(text(run, name)).as(name).doesNotContain(TestStore.SECRET);
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aJobWhoseStoreFailsEveryThirdCallEndsWithTheSameRowsOrSaysSo(TestStore on) throws Exception {
    TestRun healthy = run(on, "faulty", FEW_UNITS);
    TestRun faulty = faulty(on, "faulty");
    int code = faulty.start(VStarJob.class).waitFor();
    assertThat(code).as(() -> log(faulty)).isIn(0, 2);
    assertThat(kept(healthy)).as(() -> log(faulty)).isEqualTo(samples.size());
    if (code != 0) {
      // Spark's own readers are not ours to make patient.
      assertThat(faulty.log()).filteredOn(line -> line.startsWith("error: ")).hasSize(1);
      resume(healthy, VStarJob::new);
    }
    assertThat(healthy.samples(spark)).isEqualTo(samples);
    assertThat(healthy.values(spark)).isEqualTo(values);
  }

  private static String log(TestRun run) {
    try {
      return String.join("\n", run.log());
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static String text(TestRun run, String name) throws IOException {
    try (InputStream in = run.folder().store().read(name)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
