package org.vstar.spark.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.common.RunStore;

/** A run in a folder of a Hadoop file system. Today that has to be one with {@code file:} paths. */
public final class HadoopRunStore implements RunStore {

  private static final long serialVersionUID = 1L;
  private static final String LOCAL = "file:";
  private static final Pattern SCHEME = Pattern.compile("^[A-Za-z][A-Za-z0-9+.-]+:/.*");

  /** What Spark would take for a pattern. */
  private static final Pattern WILDCARDS = Pattern.compile("[\\[\\]{}*?]");

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
   * @throws InvalidInputException if it is on a store that is not supported, or has wildcards
   */
  public static HadoopRunStore open(String folder) {
    boolean uri = folder.startsWith(LOCAL);
    boolean elsewhere = !uri && SCHEME.matcher(folder).matches();
    if (elsewhere || WILDCARDS.matcher(folder).find()) {
      throw new InvalidInputException(
          "--out is '"
              + folder
              + "', expected a folder that driver and executors both see (a path or file:), without"
              + " any of []{}*?");
    }
    try {
      java.nio.file.Path path = java.nio.file.Path.of(uri ? pathOf(folder) : folder);
      return new HadoopRunStore(path.toString(), path.toAbsolutePath().normalize().toUri());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "--out is '" + folder + "', not a path: " + e.getMessage(), e);
    }
  }

  private static String pathOf(String uri) {
    String path = URI.create(uri).getPath();
    if (path == null) {
      throw new IllegalArgumentException("a file: URI has an absolute path");
    }
    return path;
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

  @Override
  public InputStream read(String name) throws IOException {
    return files().open(path(name));
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
    } finally {
      files().delete(partial, false);
    }
  }

  /** Where a thing is written first. Spark leaves out files whose names begin with a dot. */
  private Path partial(String name) {
    Path target = path(name);
    String hidden = "." + target.getName() + "-" + UUID.randomUUID() + ".partial";
    return new Path(target.getParent(), hidden);
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
      if (status.isDirectory()) {
        collect(folder + name + "/", names);
      } else if (!name.startsWith(".")) {
        names.add(folder + name);
      }
    }
  }

  @Override
  public String location(String name) {
    return name.isEmpty() ? given : given + "/" + name;
  }
}
