package org.vstar.spark.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TableLog.Change;
import org.vstar.spark.store.TableLog.Snapshot;

/**
 * A table that is one file, so that a new one takes the place of the old one at once; the old one
 * stays as a version. A copy lies in the table's folder for those who read Parquet by its path.
 *
 * @param store where it is
 * @param table the name of its folder
 * @param columns of it
 */
record TableFile(Store store, String table, StructType columns) {

  private static final String VERSIONS = "versions/";
  private static final String END = ".parquet";

  private TableLog log() {
    return new TableLog(store, table);
  }

  /** The file that the table is now, if there is one. */
  Optional<DataFile> now() {
    return log().now().newestFile();
  }

  /**
   * Why the table cannot be read; null if it can, or is not there.
   *
   * @throws InvalidInputException if it cannot even be looked at
   */
  String damage() {
    try {
      Optional<DataFile> now = now();
      String damage = now.isEmpty() ? null : now.get().damage(store);
      return damage == null ? null : store.location(now.get().name()) + ": " + damage;
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(table), e);
    }
  }

  /**
   * Writes the table, in the place of the old one at once.
   *
   * @param expected how many rows it has to have, at least
   * @return how many it has
   * @throws InvalidInputException if it would have fewer; the old one stays then
   */
  long replace(Dataset<Row> rows, long expected) {
    try {
      DataFile written = write(rows);
      if (written.rows() < expected || written.damage(store) != null) {
        store.delete(written.name());
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s would have %d rows, expected %d or more: do driver and executors see the same"
                    + " files?",
                store.location(table),
                written.rows(),
                expected));
      }
      DataFile now = commit(written);
      copyForReaders();
      return now.rows();
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(table), e);
    }
  }

  /** Makes the copy that of the table as it is now: the last job may have died before it did so. */
  void copyForReaders() {
    DataFile now = now().orElseThrow();
    String name = copyOf(table);
    try {
      DataFile copy = new DataFile(name, now.rows(), now.bytes(), now.hash(), now.parts());
      if (copy.damage(store) != null) {
        store.publish(name, out -> copy(now, out));
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(name), e);
    }
  }

  /** The name of the copy for those who read the folder. */
  static String copyOf(String table) {
    return table + table.substring(table.lastIndexOf('/')) + END;
  }

  private DataFile write(Dataset<Row> rows) throws IOException {
    // What travels to the executor: not this record's dataset.
    Store shared = store;
    StructType kept = columns;
    String folder = TableLog.internals(table) + VERSIONS;
    List<DataFile> written =
        rows.repartition(1)
            .sortWithinPartitions(columns.fieldNames()[0], columns.fieldNames()[1])
            .javaRDD()
            .mapPartitions(
                some ->
                    List.of(RowFile.write(shared, folder + UUID.randomUUID() + END, kept, some))
                        .iterator())
            .collect();
    // Spark makes no partition of no rows.
    return written.isEmpty()
        ? RowFile.write(
            store, folder + UUID.randomUUID() + END, columns, Collections.emptyIterator())
        : written.get(0);
  }

  /**
   * The hash of the rows that the table has now.
   *
   * @throws java.util.NoSuchElementException if it is not there
   */
  String rowsHash() {
    return RowFile.rowsHash(now().orElseThrow());
  }

  /** A table that has not changed has no new version. */
  private DataFile commit(DataFile written) throws IOException {
    Snapshot before = log().now();
    Optional<DataFile> old = before.newestFile();
    if (before.files().size() == 1
        && RowFile.rowsHash(written).equals(RowFile.rowsHash(old.get()))
        && old.get().damage(store) == null) {
      store.delete(written.name());
      return old.get();
    }
    SortedMap<String, String> removed = new TreeMap<>();
    // More than one are there if a job that had lost its lock wrote beside another.
    before.files().keySet().forEach(file -> removed.put(file, "replaced"));
    log().commit(before, new Change(List.of(written), removed, new TreeMap<>()));
    return written;
  }

  private void copy(DataFile file, OutputStream out) throws IOException {
    try (InputStream in = store.read(file.name())) {
      in.transferTo(out);
    }
  }
}
