package org.vstar.spark.table;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.Store.Stored;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TableLog.History;

/**
 * Files of a run's tables that nobody needs: those that no manifest has ever named, which a killed
 * job or a second attempt left, and those of units whose samples are in a larger file now. Versions
 * of a table are needed: somebody may ask for them.
 *
 * @param store the run's
 */
public record Orphans(Store store) {

  /**
   * The files that have been orphans since before a moment. Whoever deletes them holds the tables'
   * lock. Of tables in another format, or without manifests, nothing can be said: none.
   */
  public List<Stored> before(Instant moment) throws IOException {
    List<Stored> orphans = new ArrayList<>();
    if (!new TableFormat(store).isCurrent()) {
      return orphans;
    }
    List<Stored> all = store.stored(Tables.FOLDER + "/");
    Set<String> tables = new TreeSet<>();
    for (Stored file : all) {
      TableLog.tableOf(file.name()).ifPresent(tables::add);
    }
    for (String table : tables) {
      History history = new TableLog(store, table).history();
      for (Stored file : all) {
        if (TableLog.tableOf(file.name()).equals(Optional.of(table))
            && file.name().endsWith(".parquet")
            && isOrphan(file, table, history, moment)) {
          orphans.add(file);
        }
      }
    }
    return orphans;
  }

  private static boolean isOrphan(Stored file, String table, History history, Instant moment) {
    if (history.named().isEmpty() || file.name().equals(TableFile.copyOf(table))) {
      return false;
    }
    if (!history.named().contains(file.name())) {
      return file.since().isBefore(moment);
    }
    Instant removed = history.removed().get(file.name());
    return removed != null
        && removed.isBefore(moment)
        && SampleTable.MERGED.equals(history.reasons().get(file.name()));
  }
}
