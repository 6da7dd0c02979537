package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;

class HadoopRunStoreTest {

  @TempDir Path folder;

  private static String read(RunStore store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      return new String(in.readAllBytes());
    }
  }

  private List<String> onDisk() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void whatIsPublishedIsListedReadAndReplacedWithNothingBesideIt() throws IOException {
    Path spaced = folder.resolve("a run");
    for (String root : List.of(spaced.toString(), spaced.toUri().toString())) {
      Store store = Store.open(root);
      store.publish("a/one", out -> out.write("old".getBytes()));
      store.publish("a/one", out -> out.write("new".getBytes()));
      store.publish("a/b/two", out -> out.write("2".getBytes()));
      store.publish("three", out -> out.write("3".getBytes()));
      assertThat(store.list("")).containsExactly("a/b/two", "a/one", "three");
      assertThat(store.list("a/")).containsExactly("a/b/two", "a/one");
      assertThat(store.list("a/o")).containsExactly("a/one");
      assertThat(store.list("none/")).isEmpty();
      assertThat(read(store, "a/one")).isEqualTo("new");
      assertThat(store.exists("a/one")).isTrue();
      assertThat(store.exists("a")).isFalse();
      assertThat(store.exists("b")).isFalse();
      assertThatThrownBy(() -> store.read("b")).isInstanceOf(FileNotFoundException.class);
      assertThat(onDisk()).containsExactly("a run/a/b/two", "a run/a/one", "a run/three");
    }
  }

  @Test
  void aWriterThatFailsLeavesWhatWasThereAndNothingElse() throws IOException {
    Store store = Store.open(folder.toString());
    store.publish("thing", out -> out.write("old".getBytes()));
    assertThatThrownBy(
            () ->
                store.publish(
                    "thing",
                    out -> {
                      out.write("half".getBytes());
                      throw new IOException("disk full");
                    }))
        .hasMessage("disk full");
    assertThat(read(store, "thing")).isEqualTo("old");
    assertThat(onDisk()).containsExactly("thing");
  }

  @Test
  void itTravelsByJavaSerialization() throws Exception {
    Store store = Store.open(folder.toString());
    store.publish("thing", out -> out.write(7));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(store);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      RunStore arrived = (RunStore) in.readObject();
      assertThat(arrived.list("")).containsExactly("thing");
      assertThat(arrived.location("thing")).isEqualTo(folder + "/thing");
    }
  }

  @Test
  void whoReadsWhileItIsReplacedSeesTheOldOrTheNew() throws Exception {
    Store store = Store.open(folder.toString());
    byte[][] versions = {"a".repeat(50_000).getBytes(), "b".repeat(50_000).getBytes()};
    store.publish("thing", out -> out.write(versions[0]));
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = 0; i < 200; i++) {
                  byte[] version = versions[i % 2];
                  store.publish("thing", out -> out.write(version));
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              } finally {
                done.set(true);
              }
            });
    Store reader = Store.open(folder.toString());
    while (!done.get()) {
      assertThat(reader.exists("thing")).isTrue();
      assertThat(read(reader, "thing")).matches("a{50000}|b{50000}");
    }
    writer.join();
  }

  @Test
  void aStoreWhoseJarIsMissingIsSaidInOneLine() {
    Store store = Store.open("gs://bucket/run/");
    assertThat(store.location("x")).isEqualTo("gs://bucket/run/x");
    assertThatThrownBy(() -> store.exists("x"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("no jar knows the file system 'gs'");
  }

  @Test
  void aFolderWithAColonIsAPathAndARelativeFileUriIsNone() {
    assertThat(Store.open("run-12:30").location("x")).isEqualTo("run-12:30/x");
    assertThatThrownBy(() -> Store.open("file:out"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("--out is 'file:out', not a path");
  }
}
