package org.vstar.spark.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.Versions.Version;

/**
 * The tables that a run has, by name, for those who only read.
 *
 * @param store the run's
 */
public record StoredTables(HadoopRunStore store) {

  /** The name of the table that training reads. */
  public static final String VSTAR = "vstar";

  private static final String TASKS = "tasks";
  private static final String SAMPLES = "samples";

  /** What the names of tables that were scored anew begin with. */
  private static final String RESCORED = VSTAR + "_";

  /**
   * A table, at one of its states.
   *
   * @param columns with what each means
   * @param places its files, or the folder that has them
   * @param changed when each of these last changed
   */
  public record StoredTable(StructType columns, List<Path> places, List<Instant> changed) {}

  /** The names of the tables that there are, sorted. */
  public SortedSet<String> names() {
    return files("").stream()
        .map(file -> file.split("/")[1])
        .filter(table -> columns(table).isPresent())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The names of the Parquet files of all tables whose names begin with a prefix. */
  private List<String> files(String prefix) {
    try {
      return store.list(folder(prefix)).stream()
          .filter(file -> file.endsWith(".parquet") && file.split("/").length == 3)
          .toList();
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(Tables.FOLDER), e);
    }
  }

  /**
   * What the footers of a table say of it as it is now.
   *
   * @throws InvalidInputException naming a file that is damaged
   */
  public Footers footers(String table) {
    return Footers.of(files(table + "/").stream().map(store::path).toList());
  }

  private static Optional<StructType> columns(String table) {
    return switch (table) {
      case TASKS -> Optional.of(Columns.TASKS);
      case SAMPLES -> Optional.of(Columns.SAMPLES);
      default ->
          table.equals(VSTAR) || table.startsWith(RESCORED)
              ? Optional.of(Columns.VSTAR)
              : Optional.empty();
    };
  }

  /** A table as it is now, if there is one of this name. */
  public Optional<StoredTable> find(String table) {
    if (!names().contains(table)) {
      return Optional.empty();
    }
    // Samples may be in very many files.
    return Optional.of(
        stored(table, table.equals(SAMPLES) ? List.of(folder(table)) : files(table + "/")));
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
    List<Version> versions = versions(table);
    for (Version v : versions) {
      if (version.equals(String.valueOf(v.number()))) {
        return state(table, v);
      }
    }
    // Of several with one run id the newest: a task that had failed was added.
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (version.equals(footers(versions.get(i)).only("run_id").orElse(""))) {
        return state(table, versions.get(i));
      }
    }
    throw new InvalidInputException(
        String.format(
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
    List<Version> versions = versions(table);
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (!versions.get(i).since().isAfter(time)) {
        return state(table, versions.get(i));
      }
    }
    throw new InvalidInputException(
        String.format(
            "%s did not exist at %s, its first version is of %s",
            store.location(folder(table)), time, versions.get(0).since()));
  }

  private List<Version> versions(String table) {
    if (table.equals(TASKS) || table.equals(SAMPLES)) {
      throw new InvalidInputException(
          String.format(
              "%s has no versions: tasks never change, and of samples more are only added"
                  + " (WHERE sample_index < N has the first N)",
              store.location(folder(table))));
    }
    return new Versions(store, folder(table)).all();
  }

  private StoredTable state(String table, Version version) {
    return stored(table, List.of(version.file()));
  }

  private StoredTable stored(String table, List<String> names) {
    List<Instant> changed = new ArrayList<>();
    try {
      for (String name : names) {
        changed.add(store.modified(name));
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(folder(table)), e);
    }
    return new StoredTable(
        columns(table).orElseThrow(), names.stream().map(store::path).toList(), changed);
  }

  private Footers footers(Version version) {
    return Footers.of(List.of(store.path(version.file())));
  }

  /** What {@code SHOW TBLPROPERTIES} says of a table: where it is, and the states it has had. */
  public Map<String, String> properties(String table) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("location", store.path(folder(table)).toString());
    if (!table.equals(TASKS) && !table.equals(SAMPLES)) {
      for (Version version : versions(table)) {
        Footers of = footers(version);
        properties.put(
            "version." + version.number(),
            String.format(
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
    String note = folder(table) + RescoredTable.note(runId);
    Map<String, String> rule = new LinkedHashMap<>();
    try {
      if (store.exists(note)) {
        try (InputStream in = store.read(note)) {
          Json.read(store.location(note), in, JsonNode.class)
              .fields()
              .forEachRemaining(of -> rule.put(of.getKey(), of.getValue().asText()));
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(note), e);
    }
    return rule;
  }
}
