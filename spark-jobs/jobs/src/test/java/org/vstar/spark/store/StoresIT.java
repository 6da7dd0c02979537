package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vstar.common.AtomicFiles;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.spark.TestRun;
import org.vstar.spark.store.TableLog.Change;

/** What a run's storage promises, on a disk, on HDFS and on S3. */
@ExtendWith(TestStores.class)
class StoresIT {

  private static List<TestStore> stores;
  private static SparkSession spark;
  private static int runs;

  @BeforeAll
  static void start(TestStores.All all) {
    stores = all.stores();
    spark = TestRun.session("local[2]", all.spark());
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  static List<TestStore> stores() {
    return stores;
  }

  private static Store run(TestStore store) {
    return Store.open(store.root() + "/run-" + runs++ + "/");
  }

  private static FileWriter text(String text) {
    return out -> out.write(text.getBytes());
  }

  private static String read(RunStore store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      return new String(in.readAllBytes());
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void whatIsPublishedIsListedReadReplacedAndDeleted(TestStore on) throws IOException {
    Store store = run(on);
    store.requireWritable();
    assertThat(store.list("")).isEmpty();
    store.publish("a/one", text("old"));
    store.publish("a/one", text("new"));
    store.publish("a/b/two", text("2"));
    store.publish("a/b/.hidden", text("h"));
    store.publish("three", text("3"));
    assertThat(store.list("")).containsExactly("a/b/two", "a/one", "three");
    assertThat(store.list("a/")).containsExactly("a/b/two", "a/one");
    assertThat(store.list("a/o")).containsExactly("a/one");
    assertThat(store.list("none/")).isEmpty();
    assertThat(store.folders("a")).containsExactly("b");
    assertThat(store.isFolder("a/b")).isTrue();
    assertThat(store.exists("a")).isFalse();
    assertThat(read(store, "a/one")).isEqualTo("new");
    assertThat(read(store.within("a/b"), "two")).isEqualTo("2");
    store.delete("a/one");
    store.delete("a/one");
    assertThat(store.exists("a/one")).isFalse();
    assertThatThrownBy(() -> store.read("a/one")).isInstanceOf(java.io.FileNotFoundException.class);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void theRootOfAStoreIsAFolderToo(TestStore on) throws IOException {
    Store store = run(on);
    store.publish("a/one", text("1"));
    String place = store.path("a/one").toString();
    String path = store.path("a/one").toUri().getPath();
    String root = place.substring(0, place.length() - path.length());
    assertThat(read(Store.open(root + "/"), path.substring(1))).isEqualTo("1");
  }

  /** Longer than a part of a multipart upload: some of it has left this machine. */
  private static void half(OutputStream out) throws IOException {
    byte[] part = new byte[1 << 20];
    for (int i = 0; i < 12; i++) {
      out.write(part);
    }
    throw new IOException("disk full");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aWriterThatFailsLeavesWhatWasThereAndNothingElse(TestStore on) throws IOException {
    Store store = run(on);
    store.publish("thing", text("old"));
    for (String name : List.of("thing", "other")) {
      assertThatThrownBy(() -> store.publish(name, StoresIT::half)).hasMessage("disk full");
    }
    assertThat(read(store, "thing")).isEqualTo("old");
    assertThat(store.list("")).containsExactly("thing");
    store.deletePartial("");
    assertThat(store.stored("")).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void whoReadsWhileItIsReplacedSeesTheOldOrTheNew(TestStore on) throws Exception {
    Store store = run(on);
    List<String> versions = List.of("a".repeat(50_000), "b".repeat(50_000));
    store.publish("thing", text(versions.get(0)));
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = 0; i < 30; i++) {
                  store.publish("thing", text(versions.get(i % 2)));
                }
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              } finally {
                done.set(true);
              }
            });
    while (!done.get()) {
      assertThat(versions).contains(read(store, "thing"));
    }
    writer.join();
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aFolderIsThereAsFilesOfThisMachineAsItIsNow(TestStore on) throws IOException {
    Store store = run(on);
    store.publish("policy/weights", text("1"));
    store.publish("policy/deep/more", text("2"));
    Path local = store.local("policy");
    assertThat(Files.readString(local.resolve("weights"))).isEqualTo("1");
    assertThat(Files.readString(local.resolve("deep/more"))).isEqualTo("2");
    assertThat(store.local("policy")).isEqualTo(local);
    store.publish("policy/weights", text("other"));
    assertThat(Files.readString(store.local("policy").resolve("weights"))).isEqualTo("other");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void copiesOfAProcessThatWasKilledAreDeletedByTheNext(TestStore on) throws IOException {
    Store store = run(on);
    store.publish("policy/weights", text("1"));
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    Path dead = Files.createDirectories(temporary.resolve("vstar-store-2147483646-1"));
    Files.writeString(dead.resolve("weights"), "of the dead");
    Path copy = store.local("policy");
    assertThat(copy.resolve("weights")).hasContent("1");
    boolean copied = copy.startsWith(temporary.resolve("vstar-store-" + own()));
    assertThat(Files.exists(dead)).isEqualTo(!copied);
    assertThat(copied).isEqualTo(store.orphanedLockSeconds() > 0);
    AtomicFiles.delete(dead);
  }

  private static String own() {
    ProcessHandle own = ProcessHandle.current();
    return own.pid() + "-" + own.info().startInstant().orElseThrow().toEpochMilli();
  }

  @ParameterizedTest
  @MethodSource("stores")
  void executorsSeeWhatTheDriverPublishesAndKnowTheStoresSettings(TestStore on) throws IOException {
    Store store = run(on);
    store.publish("thing", text("7"));
    List<String> seen =
        new org.apache.spark.api.java.JavaSparkContext(spark.sparkContext())
            .parallelize(List.of("thing"), 1)
            .map(name -> read(store, name))
            .collect();
    assertThat(seen).containsExactly("7");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aTableIsWhatItsManifestsSay(TestStore on) throws IOException {
    Store store = run(on);
    TableLog log = new TableLog(store, "tables/samples");
    DataFile one = DataFile.publish(store, "tables/samples/1", 3, new TreeMap<>(), text("one"));
    assertThat(one.bytes()).isEqualTo(3);
    assertThat(one.damage(store)).isNull();
    log.commit(log.now(), new Change(List.of(one), new TreeMap<>(), new TreeMap<>()));
    DataFile.publish(store, "tables/samples/2", 3, new TreeMap<>(), text("never named"));
    assertThat(log.now().files().values()).containsExactly(one);
    store.publish("tables/samples/1", text("two"));
    assertThat(one.damage(store)).contains("changed since it was written");
    store.delete("tables/samples/1");
    assertThat(one.damage(store)).isEqualTo("it is missing");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aLockHasOneHolderAndTellsTheOthersWhoThatIs(TestStore on) throws IOException {
    Store store = run(on);
    RunStore.Lock lock = store.lock("tables", "submit/vstar", Duration.ZERO);
    store.publish("tables/thing", text("1"));
    assertThatThrownBy(() -> run(on, store).lock("tables", "another", Duration.ZERO))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("tables is being written by");
    store.lock("train-regression", "submit/train", Duration.ZERO).close();
    lock.close();
    run(on, store).lock("tables", "another", Duration.ZERO).close();
  }

  /** A disk's lock is the operating system's, and cannot be lost. */
  static List<TestStore> storesWithLeases() {
    return stores.stream().filter(store -> run(store).orphanedLockSeconds() > 0).toList();
  }

  @ParameterizedTest
  @MethodSource("storesWithLeases")
  void whoHasLostTheLockNeitherWritesNorDeletes(TestStore on) throws IOException {
    Store store = run(on);
    RunStore.Lock lock = store.lock("tables", "submit/vstar", Duration.ZERO);
    store.publish("tables/thing", text("mine"));
    run(on, store).publish(".tables.lock", text("another\nanother job\n"));
    for (Store same : List.of(store, store.within("tables"))) {
      String thing = same == store ? "tables/thing" : "thing";
      assertThatThrownBy(() -> same.publish(thing, text("still mine")))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("no longer has the right to write");
      assertThatThrownBy(() -> same.delete(thing)).isInstanceOf(InvalidInputException.class);
    }
    assertThat(read(store, "tables/thing")).isEqualTo("mine");
    store.publish("train-regression/thing", text("not of the lock"));
    lock.close();
    assertThat(read(store, ".tables.lock")).as("the other's lock").startsWith("another");
  }

  /** The same run, as another process opens it. */
  private static Store run(TestStore on, Store same) {
    return Store.open(same.location(""));
  }
}
