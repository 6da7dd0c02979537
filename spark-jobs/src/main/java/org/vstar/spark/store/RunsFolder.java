package org.vstar.spark.store;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.vstar.common.InvalidInputException;

/** A folder that has runs, each a folder of its own. */
public final class RunsFolder {

  /** One of these makes a folder a run. */
  private static final String[] PARTS = {"tables", "reference"};

  private final String given;
  private final Path folder;

  private RunsFolder(String given, Path folder) {
    this.given = given;
    this.folder = folder;
  }

  /**
   * Opens a folder.
   *
   * @param folder a path, or a {@code file:} URI
   * @throws InvalidInputException if it is on a store that is not supported
   */
  public static RunsFolder open(String folder) {
    return new RunsFolder(folder, HadoopRunStore.open(folder).path(""));
  }

  /**
   * The names of the runs, sorted.
   *
   * @throws InvalidInputException if the folder is not there or cannot be read
   */
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    try {
      FileSystem files = FileSystem.get(folder.toUri(), new Configuration());
      for (FileStatus found : files.listStatus(folder)) {
        String name = found.getPath().getName();
        if (found.isDirectory() && isRun(files, found.getPath()) && canBeOpened(name)) {
          names.add(name);
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("list the runs in " + given, e);
    }
    return names;
  }

  private static boolean isRun(FileSystem files, Path path) throws IOException {
    for (String part : PARTS) {
      if (files.exists(new Path(path, part))) {
        return true;
      }
    }
    return false;
  }

  /** No job writes a run into a folder that it could not open. */
  private boolean canBeOpened(String name) {
    try {
      run(name);
      return true;
    } catch (InvalidInputException e) {
      return false;
    }
  }

  /** A run's store. */
  public HadoopRunStore run(String name) {
    return HadoopRunStore.open(folder.toUri().getPath() + "/" + name);
  }
}
