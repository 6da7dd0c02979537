package org.vstar.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderStoreTest {

  @TempDir Path folder;

  private String read(RunStore store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      return new String(in.readAllBytes());
    }
  }

  @Test
  void whatIsPublishedIsListedReadAndReplaced() throws IOException {
    RunStore store = new FolderStore(folder.resolve("run"));
    assertThat(store.list("")).isEmpty();
    store.publish("a/one", out -> out.write("1".getBytes()));
    store.publish("a/two", out -> out.write("2".getBytes()));
    store.publish("a/one", out -> out.write("3".getBytes()));
    assertThat(store.list("a/")).containsExactly("a/one", "a/two");
    assertThat(store.list("a/t")).containsExactly("a/two");
    assertThat(read(store, "a/one")).isEqualTo("3");
    assertThat(store.exists("a/one")).isTrue();
    assertThat(store.exists("a")).isFalse();
    assertThatThrownBy(() -> store.read("b")).isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void aWriterThatFailsLeavesWhatWasThereAndNothingElse() throws IOException {
    RunStore store = new FolderStore(folder);
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
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void ofTwoFoldersMadeAtOnceTheFirstIsKept() throws IOException {
    Path target = folder.resolve("index");
    boolean second =
        AtomicFiles.createFolder(
            target,
            partial -> {
              Files.writeString(partial.resolve("x"), "late");
              assertThat(
                      AtomicFiles.createFolder(
                          target, other -> Files.writeString(other.resolve("x"), "early")))
                  .isTrue();
            });
    assertThat(second).isFalse();
    assertThat(Files.readString(target.resolve("x"))).isEqualTo("early");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(target);
    }
  }
}
