package org.vstar.spark.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vstar.common.AtomicFiles;
import org.vstar.common.ContentHash;
import org.vstar.spark.store.HadoopRunStore.Stored;

/**
 * Folders of a store as folders of this machine, for what is mapped rather than read. They are in
 * one folder of the process, so that its many threads and stores share them, and are deleted when
 * it ends.
 */
final class LocalCopies {

  private final Path root;
  private final Map<String, Path> copies = new ConcurrentHashMap<>();

  LocalCopies() throws IOException {
    ProcessHandle own = ProcessHandle.current();
    long start = own.info().startInstant().orElse(Instant.EPOCH).toEpochMilli();
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    root = folder.resolve("vstar-store-" + own.pid() + "-" + start);
    try {
      Files.createDirectory(root);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(root)));
    } catch (FileAlreadyExistsException e) {
      // Another store of this process was first.
    }
  }

  private static void delete(Path folder) {
    try {
      AtomicFiles.delete(folder);
    } catch (IOException e) {
      System.err.printf("cannot delete %s: %s%n", folder, e.getMessage());
    }
  }

  /** A folder that has what a store's folder has now; the same one as long as that is the same. */
  Path of(HadoopRunStore store, String name) throws IOException {
    List<Stored> there = store.stored(name + "/");
    Path copy = root.resolve(key(store, name, there));
    if (!Files.isDirectory(copy)) {
      Path begun = Files.createTempDirectory(root, "begun-");
      try {
        for (Stored thing : there) {
          Path to = begun.resolve(thing.name().substring(name.length() + 1));
          Files.createDirectories(to.getParent());
          try (InputStream in = store.read(thing.name())) {
            Files.copy(in, to);
          }
        }
        Files.move(begun, copy, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
        delete(begun);
      }
    }
    copies.put(name, copy);
    return copy;
  }

  private static String key(HadoopRunStore store, String name, List<Stored> there) {
    ContentHash key = new ContentHash().add(store.path(name).toString());
    there.forEach(
        thing -> key.add(thing.name()).add(thing.bytes()).add(thing.since().toEpochMilli()));
    return key.hex();
  }

  /**
   * Deletes the copy of a folder, if there is one. What is mapped stays so where files have inodes.
   */
  void release(String name) {
    Path copy = copies.remove(name);
    if (copy != null) {
      delete(copy);
    }
  }
}
