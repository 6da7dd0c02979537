package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.TableLog.Change;
import org.vstar.spark.store.TableLog.Snapshot;

class TableLogTest {

  private static final SortedMap<String, String> ABOUT = new TreeMap<>(Map.of("seed", "7"));

  @TempDir Path folder;

  private TableLog log() {
    return new TableLog(Store.open(folder.toString()), "tables/samples");
  }

  private static DataFile file(String name) {
    return new DataFile(name, 3, 99, "hash of " + name, new TreeMap<>(Map.of("t", "0-2")));
  }

  private static Change add(String... names) {
    return new Change(Stream.of(names).map(TableLogTest::file).toList(), new TreeMap<>(), ABOUT);
  }

  private static Change remove(String name) {
    return new Change(List.of(), new TreeMap<>(Map.of(name, "damaged")), ABOUT);
  }

  private List<Path> manifests() throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve("tables/_log/samples/manifests"))) {
      return all.sorted().toList();
    }
  }

  @Test
  void aTableIsWhatItsManifestsAddAndTakeAway() {
    TableLog log = log();
    assertThat(log.now().number()).isZero();
    Snapshot one = log.commit(log.now(), add("a", "b"));
    Snapshot two = log.commit(one, remove("a"));
    Snapshot three = log.commit(two, add("c"));
    assertThat(log.now()).isEqualTo(three);
    assertThat(three.files().values()).containsExactly(file("b"), file("c"));
    assertThat(three.about()).isEqualTo(ABOUT);
    assertThat(log.all()).containsExactly(one, two, three);
    assertThat(log.all().get(0).files()).containsOnlyKeys("a", "b");
  }

  @Test
  void aLongHistoryIsReadFromAFewManifests() throws IOException {
    TableLog log = log();
    Snapshot at = log.now();
    for (int i = 0; i < 150; i++) {
      at = log.commit(at, add("file-" + i));
    }
    // What is covered by the last that says all need not even be there.
    for (Path old : manifests().subList(0, 127)) {
      Files.delete(old);
    }
    assertThat(log.now().files().keySet())
        .containsExactlyElementsOf(IntStream.range(0, 150).mapToObj(i -> "file-" + i).toList());
  }

  /** What a driver writes in the moment between another's look and its write. */
  private void meanwhile(Snapshot from, Change change) throws IOException {
    Path other = folder.resolve("other");
    TableLog elsewhere = new TableLog(Store.open(other.toString()), "tables/samples");
    Path there = Files.createDirectories(other.resolve("tables/_log/samples/manifests"));
    for (Path manifest : manifests()) {
      if (from.manifests().contains(manifest.getFileName().toString())) {
        Files.copy(manifest, there.resolve(manifest.getFileName()));
      }
    }
    elsewhere.commit(from, change);
    try (Stream<Path> written = Files.list(there)) {
      for (Path manifest : written.toList()) {
        if (!from.manifests().contains(manifest.getFileName().toString())) {
          Files.copy(
              manifest,
              folder.resolve("tables/_log/samples/manifests").resolve(manifest.getFileName()));
        }
      }
    }
  }

  @Test
  void ofTwoWhoWriteAtOnceBothCountAndTheNextToWriteStops() throws IOException {
    TableLog log = log();
    Snapshot before = log.commit(log.now(), add("a"));
    Snapshot own = log.commit(before, add("b"));
    meanwhile(before, add("c"));
    assertThat(log.now().files()).containsOnlyKeys("a", "b", "c");
    assertThatThrownBy(() -> log.commit(own, add("d")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("another job has written to ");
    log.commit(log.now(), add("d"));
    assertThat(log.now().files()).containsOnlyKeys("a", "b", "c", "d");
  }

  @Test
  void oneWhoSaysAllDoesNotHideWhatAnotherWroteAtOnce() throws IOException {
    TableLog log = log();
    Snapshot at = log.now();
    for (int i = 0; i < 63; i++) {
      at = log.commit(at, add("file-" + i));
    }
    log.commit(at, add("file-63"));
    meanwhile(at, add("other"));
    assertThat(log.now().files()).hasSize(65).containsKey("other");
  }

  @Test
  void filesOfOtherWordsAreNotInTheTableEvenIfTheManifestIsLostThatBeganAnew() throws IOException {
    TableLog log = log();
    SortedMap<String, String> others = new TreeMap<>(Map.of("seed", "8"));
    Snapshot first = log.commit(log.now(), add("a"));
    Snapshot begun = log.commit(first, new Change(List.of(), new TreeMap<>(), others));
    log.commit(begun, new Change(List.of(file("b")), new TreeMap<>(), others));
    assertThat(log.now().files()).containsOnlyKeys("b");
    assertThat(log.newest(ABOUT).orElseThrow().files()).containsOnlyKeys("a");
    Files.delete(manifests().get(1));
    assertThat(log.now().files()).containsOnlyKeys("b");
  }

  @Test
  void anyFlippedBitOfAManifestIsToldWithWhatToDo() throws IOException {
    TableLog log = log();
    log.commit(log.now(), add("a"));
    Path manifest = manifests().get(0);
    byte[] whole = Files.readAllBytes(manifest);
    for (int at = 0; at < whole.length; at += 7) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      Files.write(manifest, flipped);
      assertThatThrownBy(log::now)
          .as("byte %d", at)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("delete it, then run submit/vstar again");
    }
  }
}
