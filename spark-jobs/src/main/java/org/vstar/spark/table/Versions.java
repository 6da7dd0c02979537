package org.vstar.spark.table;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.HadoopRunStore;

/**
 * The states that a table of one file has had, so that what a training run learned from can still
 * be asked after a new estimate. Each is kept whole, in a folder that readers of Parquet leave out.
 *
 * @param store where the table is
 * @param table the name of its folder
 */
record Versions(HadoopRunStore store, String table) {

  private static final String KEPT = "/_versions/";

  /**
   * A state of the table.
   *
   * @param number from 1, without gaps
   * @param since when it was written
   * @param file its name in the store
   */
  record Version(int number, Instant since, String file) {}

  /** The file that is the table now. */
  String current() {
    return table + table.substring(table.lastIndexOf('/')) + ".parquet";
  }

  /**
   * All states, the oldest first; the last is the present one. None if there is no table.
   *
   * @throws InvalidInputException if they cannot be read
   */
  List<Version> all() {
    try {
      List<Version> versions = new ArrayList<>();
      for (String file : store.list(table + KEPT)) {
        versions.add(new Version(versions.size() + 1, store.modified(file), file));
      }
      if (store.exists(current()) && (versions.isEmpty() || !isLast(versions))) {
        versions.add(new Version(versions.size() + 1, store.modified(current()), current()));
      }
      return versions;
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(table), e);
    }
  }

  private boolean isLast(List<Version> versions) throws IOException {
    String last = versions.get(versions.size() - 1).file();
    try (InputStream kept = store.read(last);
        InputStream now = store.read(current())) {
      return Arrays.equals(kept.readAllBytes(), now.readAllBytes());
    }
  }

  /** Keeps the present state, if there is one that is not kept. */
  void keep() throws IOException {
    List<Version> versions = all();
    if (!versions.isEmpty() && versions.get(versions.size() - 1).file().equals(current())) {
      store.publish(
          String.format("%s%s%05d.parquet", table, KEPT, versions.size()),
          out -> {
            try (InputStream now = store.read(current())) {
              now.transferTo(out);
            }
          });
    }
  }
}
