package org.vstar.spark.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.FileLocks;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.common.RunStore;

/** A run in a folder of a Hadoop file system. Today that has to be one with {@code file:} paths. */
public final class HadoopRunStore implements RunStore {

  private static final long serialVersionUID = 1L;
  private static final String LOCAL = "file:";
  private static final String PARTIAL = ".partial";

  /** What Vstar 0.1 called a unit that it was writing. */
  private static final String OLD_PARTIAL = "_unit-";

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/");

  /** What Spark would take for a pattern, and Hadoop for a separator. */
  private static final Pattern REFUSED = Pattern.compile("[\\[\\]{}*?\\\\\\p{Cntrl}]");

  /** A file system may give a full disk's last blocks to names alone. */
  private static final int PROBE_BYTES = 1 << 16;

  private final String given;
  private final URI root;
  private final Lazy<FileSystem> files = new Lazy<>();

  private HadoopRunStore(String given, URI root) {
    this.given = given;
    this.root = root;
  }

  /**
   * Opens a folder, which need not be there yet.
   *
   * @param folder a path, or a {@code file:} URI
   * @throws InvalidInputException if it is on a store that is not supported, or has characters that
   *     Spark takes for something else
   */
  public static HadoopRunStore open(String folder) {
    boolean uri = folder.startsWith(LOCAL);
    boolean elsewhere = !uri && SCHEME.matcher(folder).lookingAt();
    if (folder.isBlank() || elsewhere || REFUSED.matcher(folder).find()) {
      throw new InvalidInputException(
          "--out is '"
              + folder
              + "', expected a folder that driver and executors both see (a path or file:), without"
              + " any of []{}*?\\ and control characters");
    }
    try {
      java.nio.file.Path path = java.nio.file.Path.of(uri ? pathOf(folder) : folder);
      return new HadoopRunStore(path.toString(), path.toAbsolutePath().normalize().toUri());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "--out is '" + folder + "', not a path: " + e.getMessage(), e);
    }
  }

  /** A folder of this store as a store of its own. */
  public HadoopRunStore within(String folder) {
    return open(java.nio.file.Path.of(root).resolve(folder).toString());
  }

  private static String pathOf(String uri) {
    URI parsed = URI.create(uri);
    if (parsed.getPath() == null || parsed.getAuthority() != null) {
      throw new IllegalArgumentException("a file: URI has an absolute path and no host");
    }
    return parsed.getPath();
  }

  /**
   * Writes and deletes a small file, before work is spent that could not be kept.
   *
   * @throws InvalidInputException if the folder cannot be written to
   */
  public void requireWritable() {
    java.nio.file.Path folder = java.nio.file.Path.of(root);
    try {
      if (Files.exists(folder) && !Files.isDirectory(folder)) {
        throw new InvalidInputException("--out is '" + given + "', a file, expected a folder");
      }
      java.nio.file.Path probe =
          Files.createTempFile(Files.createDirectories(folder), ".probe-", PARTIAL);
      try {
        Files.write(probe, new byte[PROBE_BYTES]);
      } finally {
        Files.deleteIfExists(probe);
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("write to --out '" + given + "'", e);
    }
  }

  /** The folder of a name, as Hadoop and Spark know it. */
  public Path path(String name) {
    Path folder = new Path(root);
    return name.isEmpty() ? folder : new Path(folder, name);
  }

  private FileSystem files() throws IOException {
    try {
      return files.get(
          () -> {
            try {
              Configuration conf = new Configuration();
              // Hive's, which Spark brings along, cannot replace a file.
              conf.set("fs.file.impl", LocalFileSystem.class.getName());
              FileSystem opened = FileSystem.newInstance(root, conf);
              // A checksum file beside a file could not appear together with it.
              opened.setWriteChecksum(false);
              return opened;
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
    } catch (java.io.UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public boolean exists(String name) throws IOException {
    try {
      return files().getFileStatus(path(name)).isFile();
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /**
   * When a thing was published.
   *
   * @throws java.io.FileNotFoundException if there is none of this name
   */
  public Instant modified(String name) throws IOException {
    return Instant.ofEpochMilli(files().getFileStatus(path(name)).getModificationTime());
  }

  /** Publishes what another thing has, with the time that it was published at. */
  public void copy(String from, String to) throws IOException {
    long time = modified(from).toEpochMilli();
    publish(
        to,
        out -> {
          try (InputStream in = read(from)) {
            in.transferTo(out);
          }
        });
    files().setTimes(path(to), time, -1);
  }

  @Override
  public InputStream read(String name) throws IOException {
    java.nio.file.Path local = java.nio.file.Path.of(path(name).toUri());
    if (Files.exists(local) && !Files.isRegularFile(local)) {
      throw new IOException(location(name) + " is no regular file");
    }
    return files().open(path(name));
  }

  @Override
  public java.nio.file.Path local(String name) {
    return java.nio.file.Path.of(root).resolve(name);
  }

  @Override
  public void publish(String name, FileWriter writer) throws IOException {
    Path partial = partial(name);
    try {
      try (FSDataOutputStream out = files().create(partial, true)) {
        writer.write(out);
        out.hsync();
      }
      // On a local file system this replaces what is there in one step; FileContext deletes first.
      if (!files().rename(partial, path(name))) {
        throw new IOException("cannot move " + partial + " to " + path(name));
      }
    } catch (FSError e) {
      throw ioException(e);
    } finally {
      files().delete(partial, false);
    }
  }

  /** Writes a file at a path of Hadoop's. */
  @FunctionalInterface
  public interface PathWriter {
    /** Writes and closes it. */
    void write(Path path) throws IOException;
  }

  /**
   * Publishes a thing that has to be written to a path, unless there is one of this name: of
   * several that do so at the same time the first is kept.
   */
  public void publishOnce(String name, PathWriter writer) throws IOException {
    Path partial = partial(name);
    try {
      files();
      writer.write(partial);
      FileContext.getFileContext(root, files().getConf()).rename(partial, path(name), Rename.NONE);
    } catch (FileAlreadyExistsException e) {
      // The first is kept.
    } catch (FSError e) {
      throw ioException(e);
    } finally {
      files().delete(partial, false);
    }
  }

  /** Hadoop makes an error of what a local disk says, for example that it is full. */
  private static IOException ioException(FSError e) {
    return e.getCause() instanceof IOException said ? said : new IOException(e);
  }

  /**
   * Puts a file that was written elsewhere in the store in the place of any of a name, at once.
   *
   * @param written on the store's file system
   */
  public void adopt(Path written, String name) throws IOException {
    files().mkdirs(path(name).getParent());
    // A checksum file beside it could not move at the same time.
    Path checksum = new Path(written.getParent(), "." + written.getName() + ".crc");
    files().delete(checksum, false);
    if (!files().rename(written, path(name))) {
      throw new IOException("cannot move " + written + " to " + path(name));
    }
  }

  /**
   * Moves a file into another folder, under a name that nothing has.
   *
   * @return its name now
   */
  public String moveInto(String folder, String name) throws IOException {
    String now = folder + "/" + path(name).getName() + "-" + UUID.randomUUID();
    adopt(path(name), now);
    return now;
  }

  /** A new folder in a folder, in which to write; hidden from {@link #list}. */
  public Path scratch(String folder) {
    return path(folder + "/.scratch-" + UUID.randomUUID() + PARTIAL);
  }

  /** Deletes a folder of {@link #scratch}. */
  public void deleteScratch(Path scratch) throws IOException {
    files().delete(scratch, true);
  }

  /** Where a thing is written first. Spark leaves out files whose names begin with a dot. */
  private Path partial(String name) {
    Path target = path(name);
    String hidden = "." + target.getName() + "-" + UUID.randomUUID() + PARTIAL;
    return new Path(target.getParent(), hidden);
  }

  @Override
  public void delete(String name) throws IOException {
    files().delete(path(name), false);
  }

  /** A lock of the operating system, as long as all stores are folders. */
  @Override
  public Lock lock(String name, String holder, Duration patience) throws IOException {
    java.nio.file.Path file = java.nio.file.Path.of(path("." + name + ".lock").toUri());
    return FileLocks.take(file, location(name), holder, patience);
  }

  /**
   * Deletes what killed jobs had begun to write in a folder, and in those in it. The caller holds
   * the folder's lock.
   *
   * @return how many files that were
   */
  public int deletePartial(String folder) throws IOException {
    int deleted = 0;
    try {
      for (FileStatus status : files().listStatus(path(folder))) {
        String name = status.getPath().getName();
        if (name.startsWith(".") && name.endsWith(PARTIAL) || name.startsWith(OLD_PARTIAL)) {
          files().delete(status.getPath(), true);
          deleted++;
        } else if (status.isDirectory()) {
          deleted += deletePartial(folder + "/" + name);
        }
      }
    } catch (FileNotFoundException e) {
      // Nothing has been written there.
    }
    return deleted;
  }

  @Override
  public List<String> list(String prefix) throws IOException {
    int slash = prefix.lastIndexOf('/');
    List<String> names = new ArrayList<>();
    collect(slash < 0 ? "" : prefix.substring(0, slash + 1), names);
    return names.stream().filter(name -> name.startsWith(prefix)).sorted().toList();
  }

  /** Adds the names of all things in a folder; its own name ends with a slash, or is empty. */
  private void collect(String folder, List<String> names) throws IOException {
    FileStatus[] found;
    try {
      found = files().listStatus(path(folder));
    } catch (FileNotFoundException e) {
      return;
    }
    for (FileStatus status : found) {
      String name = status.getPath().getName();
      if (name.startsWith(".")) {
        continue;
      }
      if (status.isDirectory()) {
        collect(folder + name + "/", names);
      } else {
        names.add(folder + name);
      }
    }
  }

  @Override
  public String location(String name) {
    return name.isEmpty() ? given : given + "/" + name;
  }
}
