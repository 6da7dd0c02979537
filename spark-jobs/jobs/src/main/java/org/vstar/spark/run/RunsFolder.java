package org.vstar.spark.run;

import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import org.vstar.common.InvalidInputException;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Tables;

/**
 * A folder that has runs, each a folder of its own.
 *
 * @param store the folder
 */
public record RunsFolder(Store store) {

  /** One of these makes a folder a run. */
  private static final String[] PARTS = {Tables.FOLDER, PolicyFiles.REFERENCE};

  /**
   * Opens a folder.
   *
   * @param folder a path, or a URI
   * @throws InvalidInputException if it is none
   */
  public static RunsFolder open(String folder) {
    return new RunsFolder(Store.open(folder));
  }

  /**
   * The names of the runs, sorted.
   *
   * @throws InvalidInputException if the folder is not there or cannot be read
   */
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>();
    try {
      for (String name : store.folders("")) {
        if (canBeOpened(name) && isRun(name)) {
          names.add(name);
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("list the runs in " + store.location(""), e);
    }
    return names;
  }

  private boolean isRun(String name) throws IOException {
    for (String part : PARTS) {
      if (store.isFolder(name + "/" + part)) {
        return true;
      }
    }
    return false;
  }

  /** No job writes a run into a folder that it could not open. */
  private boolean canBeOpened(String name) {
    try {
      Store.open(store.location(name));
      return true;
    } catch (InvalidInputException e) {
      return false;
    }
  }

  /** A run's store. */
  public Store run(String name) {
    return store.within(name);
  }
}
