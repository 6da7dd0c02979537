package org.vstar.spark.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.AtomicFiles;
import org.vstar.common.ContentHash;
import org.vstar.spark.store.Store.Stored;

/**
 * Folders of a store as folders of this machine, for what is mapped rather than read. They are in
 * one folder of the process, so that its many threads and stores share them, and are deleted when
 * it ends; those of a process that was killed when the next one begins.
 */
final class LocalCopies {

  private static final Logger LOG = LoggerFactory.getLogger(LocalCopies.class);

  private static final String PREFIX = "vstar-store-";
  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{1,18})-\\d{1,18}");
  private static final Set<PosixFilePermission> MINE_ALONE =
      PosixFilePermissions.fromString("rwx------");

  private final Path root;
  private final Map<String, Path> copies = new ConcurrentHashMap<>();

  LocalCopies() throws IOException {
    ProcessHandle own = ProcessHandle.current();
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    deleteThoseOfTheDead(folder);
    root = folder.resolve(name(own));
    try {
      Files.createDirectory(root, PosixFilePermissions.asFileAttribute(MINE_ALONE));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(root)));
    } catch (FileAlreadyExistsException e) {
      // Another store of this process was first; or somebody else who wants to be believed.
      if (!Files.getPosixFilePermissions(root).equals(MINE_ALONE) || !Files.isWritable(root)) {
        throw new IOException(root + " is not a folder of this process alone: delete it", e);
      }
    }
  }

  private static String name(ProcessHandle process) {
    Instant start = process.info().startInstant().orElse(Instant.EPOCH);
    return PREFIX + process.pid() + "-" + start.toEpochMilli();
  }

  /** A process that is killed cannot clean up: the next one does. */
  private static void deleteThoseOfTheDead(Path folder) throws IOException {
    try (DirectoryStream<Path> copies = Files.newDirectoryStream(folder, PREFIX + "*")) {
      for (Path copy : copies) {
        Matcher name = NAME.matcher(copy.getFileName().toString());
        if (name.matches() && Files.isWritable(copy)) {
          Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(name.group(1)));
          if (process.isEmpty() || !name(process.get()).equals(name.group())) {
            delete(copy);
          }
        }
      }
    }
  }

  private static void delete(Path folder) {
    try {
      AtomicFiles.delete(folder);
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}", folder, e.getMessage());
    }
  }

  /** A folder that has what a store's folder has now; the same one as long as that is the same. */
  Path of(Store store, String name) throws IOException {
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

  private static String key(Store store, String name, List<Stored> there) {
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
