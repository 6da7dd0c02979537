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
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.common.RunStore;

/** A run in a folder of a Hadoop file system. Today that has to be one with {@code file:} paths. */
public final class HadoopRunStore implements RunStore {

  private static final long serialVersionUID = 1L;
  private static final Pattern SCHEME = Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]+):.*");

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
    var scheme = SCHEME.matcher(folder);
    boolean local = !scheme.matches() || scheme.group(1).equals("file");
    if (!local || WILDCARDS.matcher(folder).find()) {
      throw new InvalidInputException(
          "--out is '"
              + folder
              + "', expected a folder that driver and executors both see (a path or file:), without"
              + " any of []{}*?");
    }
    try {
      java.nio.file.Path path =
          scheme.matches() && scheme.group(1).equals("file")
              ? java.nio.file.Path.of(URI.create(folder).getPath())
              : java.nio.file.Path.of(folder);
      return new HadoopRunStore(path.toString(), path.toAbsolutePath().normalize().toUri());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "--out is '" + folder + "', not a path: " + e.getMessage(), e);
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
              FileSystem opened = FileSystem.newInstance(root, new Configuration());
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
    Path target = path(name);
    Path partial =
        new Path(target.getParent(), "." + target.getName() + "-" + UUID.randomUUID() + ".partial");
    boolean done = false;
    try {
      try (FSDataOutputStream out = files().create(partial, true)) {
        writer.write(out);
        out.hsync();
      }
      FileContext.getFileContext(root, files().getConf()).rename(partial, target, Rename.OVERWRITE);
      done = true;
    } finally {
      if (!done) {
        files().delete(partial, false);
      }
    }
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
