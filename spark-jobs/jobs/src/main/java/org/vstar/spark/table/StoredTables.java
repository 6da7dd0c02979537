package org.vstar.spark.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TableLog.Snapshot;

/**
 * The tables that a run has, by name, for those who only read.
 *
 * @param store the run's
 */
public record StoredTables(Store store) {

  /** The name of the table that training reads. */
  public static final String VSTAR = "vstar";

  private static final String TASKS = "tasks";
  private static final String SAMPLES = "samples";

  /** The table of the samples' turns and tokens, where they are kept. */
  private static final String TRAJECTORIES = "trajectories";

  private static final String FAILURES = "failures";
  private static final String HEADROOM = "headroom";

  /** What the names of tables that were scored anew begin with. */
  private static final String RESCORED = VSTAR + "_";

  /**
   * A table, at one of its states.
   *
   * @param columns with what each means
   * @param places its files, which never change
   */
  public record StoredTable(StructType columns, List<Path> places) {}

  /** The names of the tables that there are, sorted. */
  public SortedSet<String> names() {
    try {
      return store.list(Tables.FOLDER + "/").stream()
          .flatMap(file -> TableLog.tableOf(file).stream())
          .map(table -> table.substring(table.indexOf('/') + 1))
          .distinct()
          .filter(table -> columns(table).isPresent() && !now(table).files().isEmpty())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(Tables.FOLDER), e);
    }
  }

  private Snapshot now(String table) {
    return log(table).now();
  }

  private TableLog log(String table) {
    return new TableLog(store, folder(table));
  }

  /**
   * What the footers of a table of one file say of it as it is now.
   *
   * @throws InvalidInputException naming a file that is damaged
   */
  public Footers footers(String table) {
    return footers(now(table));
  }

  private Footers footers(Snapshot state) {
    return Footers.of(store, state.newestFile().stream().map(DataFile::name).toList());
  }

  /** How many samples there are. */
  public long samples() {
    return now(SAMPLES).files().values().stream().mapToLong(DataFile::rows).sum();
  }

  /** A fingerprint that all samples have, by its column. */
  public Optional<String> samplesFingerprint(String column) {
    return Optional.ofNullable(now(SAMPLES).about().get(column));
  }

  private static Optional<StructType> columns(String table) {
    return switch (table) {
      case TASKS -> Optional.of(Columns.TASKS);
      case SAMPLES -> Optional.of(Columns.SAMPLES);
      case TRAJECTORIES -> Optional.of(Columns.TRAJECTORIES);
      case FAILURES -> Optional.of(Columns.FAILURES);
      case HEADROOM -> Optional.of(Columns.HEADROOM);
      case Tables.STUDY_RUNS, Tables.STUDY_CURVES, Tables.STUDY_EPISODES -> Columns.ofStudy(table);
      default ->
          table.equals(VSTAR) || table.startsWith(RESCORED)
              ? Optional.of(Columns.VSTAR)
              : Optional.empty();
    };
  }

  /** A table as it is now, if there is one of this name. */
  public Optional<StoredTable> find(String table) {
    return columns(table)
        .map(of -> stored(table, now(table)))
        .filter(found -> !found.places().isEmpty());
  }

  /** Whether it has a file for each of some units of work. */
  private static boolean hasUnits(String table) {
    return table.equals(SAMPLES) || table.equals(TRAJECTORIES);
  }

  private static String folder(String table) {
    return Tables.FOLDER + "/" + table;
  }

  /**
   * A table that is there, as it was.
   *
   * @param version a number from 1, or a run id
   * @throws InvalidInputException if it has no such state, naming those it has
   */
  public StoredTable at(String table, String version) {
    List<Snapshot> versions = versions(table);
    for (Snapshot v : versions) {
      if (version.equals(String.valueOf(v.number()))) {
        requireThere(table, v);
        return stored(table, v);
      }
    }
    // Of several with one run id the newest: a task that had failed was added.
    for (int i = versions.size() - 1; i >= 0 && !hasUnits(table); i--) {
      if (version.equals(footers(versions.get(i)).only("run_id").orElse(""))) {
        return stored(table, versions.get(i));
      }
    }
    throw new InvalidInputException(
        String.format(
            Locale.ROOT,
            "%s has no version '%s', expected %d to %d or a run id: SHOW TBLPROPERTIES lists them",
            store.location(folder(table)),
            version,
            versions.get(0).number(),
            versions.get(versions.size() - 1).number()));
  }

  /**
   * A table that is there, as it was.
   *
   * @throws InvalidInputException if it is younger
   */
  public StoredTable at(String table, Instant time) {
    List<Snapshot> versions = versions(table);
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (!versions.get(i).since().isAfter(time)) {
        requireThere(table, versions.get(i));
        return stored(table, versions.get(i));
      }
    }
    throw new InvalidInputException(
        String.format(
            Locale.ROOT,
            "%s did not exist at %s, its first version is of %s",
            store.location(folder(table)),
            time,
            versions.get(0).since()));
  }

  /** A state of samples from before they were merged is there until the units are deleted. */
  private void requireThere(String table, Snapshot state) {
    try {
      for (DataFile file : hasUnits(table) ? state.files().values() : List.<DataFile>of()) {
        if (!store.exists(file.name())) {
          throw new InvalidInputException(
              String.format(
                  Locale.ROOT,
                  "version %d of %s is from before its units were merged, and submit/runs gc has"
                      + " deleted these",
                  state.number(),
                  store.location(folder(table))));
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("look at " + store.location(folder(table)), e);
    }
  }

  private List<Snapshot> versions(String table) {
    return log(table).all().stream().filter(state -> !state.files().isEmpty()).toList();
  }

  private StoredTable stored(String table, Snapshot state) {
    Collection<DataFile> files =
        hasUnits(table) ? state.files().values() : state.newestFile().stream().toList();
    return new StoredTable(
        columns(table).orElseThrow(), files.stream().map(f -> store.path(f.name())).toList());
  }

  /** What {@code SHOW TBLPROPERTIES} says of a table: where it is, and the states it has had. */
  public Map<String, String> properties(String table) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("location", store.path(folder(table)).toString());
    if (table.startsWith(VSTAR)) {
      for (Snapshot version : versions(table)) {
        Footers of = footers(version);
        properties.put(
            "version." + version.number(),
            String.format(
                Locale.ROOT,
                "since %s, n %s, beta1 %s, %d rows, run_id %s",
                version.since().truncatedTo(ChronoUnit.SECONDS),
                of.range("n"),
                of.range("beta1"),
                of.rows(),
                of.only("run_id").orElse("?")));
      }
      footers(table).only("run_id").ifPresent(id -> properties.putAll(rule(table, id)));
    }
    return properties;
  }

  /** How a table was scored, if anew. */
  private Map<String, String> rule(String table, String runId) {
    String note = RescoredTable.note(folder(table), runId);
    Map<String, String> rule = new LinkedHashMap<>();
    try {
      if (store.exists(note)) {
        try (InputStream in = store.read(note)) {
          Json.read(store.location(note), in, JsonNode.class)
              .properties()
              .forEach(of -> rule.put(of.getKey(), of.getValue().asText()));
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(note), e);
    }
    return rule;
  }
}
