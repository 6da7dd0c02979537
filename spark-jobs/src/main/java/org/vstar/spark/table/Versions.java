package org.vstar.spark.table;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private static final Pattern NUMBER = Pattern.compile("/(\\d{5})\\.parquet$");

  /**
   * A state of the table.
   *
   * @param number from 1; there are gaps where somebody deleted one
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
        Matcher name = NUMBER.matcher(file);
        if (name.find()) {
          int number = Integer.parseInt(name.group(1));
          versions.add(new Version(number, store.modified(file), file));
        }
      }
      if (store.exists(current()) && (versions.isEmpty() || !isLast(versions))) {
        versions.add(new Version(next(versions), store.modified(current()), current()));
      }
      return versions;
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(table), e);
    }
  }

  private static int next(List<Version> versions) {
    return versions.isEmpty() ? 1 : versions.get(versions.size() - 1).number() + 1;
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
    if (!versions.isEmpty()) {
      Version last = versions.get(versions.size() - 1);
      if (last.file().equals(current())) {
        store.copy(current(), String.format("%s%s%05d.parquet", table, KEPT, last.number()));
      }
    }
  }
}
