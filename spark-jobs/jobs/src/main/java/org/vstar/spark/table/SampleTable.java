package org.vstar.spark.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TableLog.Change;
import org.vstar.spark.store.TableLog.Snapshot;

/**
 * A table of samples, for the driver that writes it. Executors publish files, the driver says which
 * of them are in the table: so a unit is in it or not, whatever is killed when, and of a unit that
 * ran twice one file counts.
 */
public final class SampleTable {

  /** How many files are named one by one. */
  private static final int NAMED = 10;

  /** What a merged file should have, at least; a reader's task is about as big. */
  private static final long MERGED_BYTES = 128L << 20;

  private static final String SEED = "seed";

  /** With these words begins why a file is no longer in the table that may come back. */
  private static final String OTHER_RUN = "of another run: ";

  /** Why a unit's file is no longer in the table, when nothing is wrong with it. */
  static final String MERGED = "merged";

  private final UnitTable table;
  private final SparkSession spark;
  private final Store store;
  private final Consumer<String> warnings;
  private final TableLog log;
  private Snapshot now;

  /**
   * Opens a table of a run, which need not be there yet. The caller holds its lock.
   *
   * @param table which
   * @param warnings is told what becomes of files that cannot be used
   */
  public SampleTable(UnitTable table, SparkSession spark, Store store, Consumer<String> warnings) {
    this.table = table;
    this.spark = spark;
    this.store = store;
    this.warnings = warnings;
    log = new TableLog(store, table.folder());
    now = log.now();
  }

  /**
   * Makes it the table of samples that are drawn under fingerprints and a seed. If it has others,
   * another run begins: they stay as an older version, and come back when they are asked for.
   */
  public void begin(Fingerprints fingerprints, long seed) {
    SortedMap<String, String> about = about(fingerprints, seed);
    if (now.number() > 0 && now.about().equals(about)) {
      return;
    }
    SortedMap<String, String> removed = new TreeMap<>();
    Collection<DataFile> former = List.of();
    if (now.number() > 0) {
      String why = difference(about);
      former = former(about);
      long samples = former.stream().mapToLong(DataFile::rows).sum();
      warnings.accept(
          String.format(
              Locale.ROOT,
              "%s is of another run (%s): this one begins %s; the other stays as version %d",
              store.location(table.folder()),
              why,
              former.isEmpty()
                  ? "anew"
                  : "with the " + samples + " " + table.noun() + " that it has from before",
              now.number()));
      now.files().keySet().forEach(file -> removed.put(file, OTHER_RUN + why));
    }
    now = log.commit(now, new Change(former, removed, about));
  }

  /**
   * Refuses a table that is not there, or has samples of another run.
   *
   * @throws InvalidInputException saying what differs
   */
  public void requireSame(Fingerprints fingerprints, long seed) {
    SortedMap<String, String> about = about(fingerprints, seed);
    if (!now.about().equals(about)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "--resume: %s %s: without --resume this run begins",
              store.location(table.folder()),
              now.number() == 0
                  ? "has no run yet"
                  : "is of another run (" + difference(about) + ")"));
    }
  }

  /** By what the table differs from one of some fingerprints and a seed; none if it is that. */
  public Optional<String> differenceFrom(Fingerprints fingerprints, long seed) {
    SortedMap<String, String> about = about(fingerprints, seed);
    return now.about().equals(about)
        ? Optional.empty()
        : Optional.of(
            now.number() == 0 ? "is not there" : "is of another run (" + difference(about) + ")");
  }

  private static SortedMap<String, String> about(Fingerprints fingerprints, long seed) {
    SortedMap<String, String> about = new TreeMap<>(fingerprints.columns());
    about.put(SEED, Long.toString(seed));
    return about;
  }

  /** What the table had when it was last of this run. */
  private Collection<DataFile> former(SortedMap<String, String> about) {
    return log.newest(about)
        .<Collection<DataFile>>map(then -> then.files().values())
        .orElse(List.of());
  }

  /** By what the samples there differ from what is wanted. */
  private String difference(SortedMap<String, String> about) {
    List<String> differences = new ArrayList<>();
    about.forEach(
        (what, value) -> {
          String found = now.about().get(what);
          if (!value.equals(found)) {
            differences.add(
                String.format(Locale.ROOT, "%s %s, this run has %s", what, found, value));
          }
        });
    return String.join("; ", differences);
  }

  /**
   * The samples that are there, as sample indices by task. Executors read all files against their
   * hashes before; what is damaged is taken out of the table, and its samples are missing then.
   */
  public Map<String, BitSet> indices() {
    SortedMap<String, String> unusable = new TreeMap<>(damages());
    SampleIndices there = new SampleIndices();
    for (DataFile file : now.files().values()) {
      SampleIndices its = SampleIndices.of(file.parts());
      long twice = there.common(its);
      if (unusable.containsKey(file.name())) {
        continue;
      }
      if (twice > 0 || its.size() == 0) {
        unusable.put(
            file.name(),
            (twice == its.size() ? "all" : twice + " of " + its.size())
                + " of its samples are in other files");
      } else {
        there.addAll(its);
      }
    }
    if (!unusable.isEmpty()) {
      now = log.commit(now, new Change(List.of(), unusable, now.about()));
      tell(unusable);
    }
    return there.byTask();
  }

  private Map<String, String> damages() {
    List<DataFile> files = List.copyOf(now.files().values());
    Map<String, String> damages = new TreeMap<>();
    if (files.isEmpty()) {
      return damages;
    }
    Store shared = store;
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    sc.setJobDescription("V*: check " + files.size() + " files of " + table.noun());
    try {
      List<DataFile> suspects =
          sc.parallelize(files, Math.min(files.size(), 4 * sc.defaultParallelism()))
              .filter(file -> file.damage(shared) != null)
              .collect();
      for (DataFile file : suspects) {
        // An executor's own disk or memory may be what is damaged: the driver looks again.
        String damage = file.damage(store);
        if (damage != null) {
          damages.put(file.name(), damage);
        }
      }
      return damages;
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(table.folder()), e);
    } finally {
      sc.setJobDescription(null);
    }
  }

  private void tell(SortedMap<String, String> unusable) {
    unusable.entrySet().stream()
        .limit(NAMED)
        .forEach(
            file ->
                warnings.accept(
                    String.format(
                        Locale.ROOT,
                        "%s is no longer used (%s): samples that are missing are taken again",
                        store.location(file.getKey()),
                        file.getValue())));
    if (unusable.size() > NAMED) {
      warnings.accept("and " + (unusable.size() - NAMED) + " more files");
    }
  }

  /** The unit of some samples of this table. */
  public SamplePlan.Unit unit(SampleIndices samples) {
    return SamplePlan.Unit.of(now.about(), samples);
  }

  /** Writes down what is going to be sampled, before it is. */
  public void plan(List<SamplePlan.Unit> missing) {
    long there = now.files().values().stream().mapToLong(DataFile::rows).sum();
    long more = missing.stream().mapToLong(SamplePlan.Unit::samples).sum();
    try {
      new SamplePlan(now.about(), there + more, missing).publish(store, now.number());
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(table.folder()), e);
    }
  }

  /** Commits units: files that executors have published become part of the table. */
  public void commit(Collection<DataFile> files) {
    if (!files.isEmpty()) {
      now = log.commit(now, new Change(files, new TreeMap<>(), now.about()));
    }
  }

  /**
   * Puts the files of units together into a few large ones, in one step: many small units are not
   * many small files for readers.
   */
  public void merge() {
    List<List<DataFile>> groups = groups(table, now.files().values());
    if (groups.isEmpty()) {
      return;
    }
    Store shared = store;
    UnitTable own = table;
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    sc.setJobDescription("V*: merge files of " + table.noun());
    try {
      List<DataFile> merged =
          sc.parallelize(groups, groups.size()).map(units -> own.merge(shared, units)).collect();
      SortedMap<String, String> removed = new TreeMap<>();
      groups.forEach(units -> units.forEach(unit -> removed.put(unit.name(), MERGED)));
      now = log.commit(now, new Change(merged, removed, now.about()));
    } finally {
      sc.setJobDescription(null);
    }
  }

  /**
   * Deletes merged files that are not in the table and will never be: what a job left that was
   * killed while it merged, and damaged ones. Who reads the folder without manifests would count
   * their samples too.
   */
  public void tidy() {
    try {
      List<String> strays =
          store.list(table.merged()).stream()
              .filter(file -> !now.files().containsKey(file))
              .toList();
      if (strays.isEmpty()) {
        return;
      }
      TableLog.History history = log.history();
      for (String file : strays) {
        String reason = history.reasons().get(file);
        boolean damaged = reason != null && !reason.startsWith(OTHER_RUN);
        if (damaged || !history.named().contains(file)) {
          store.delete(file);
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("tidy up " + store.location(table.folder()), e);
    }
  }

  /**
   * Units that become one file each, in an order that does not depend on who was done first. Merged
   * files are in none: they stay as they are.
   */
  static List<List<DataFile>> groups(UnitTable table, Collection<DataFile> files) {
    List<List<DataFile>> groups = new ArrayList<>();
    List<DataFile> group = new ArrayList<>();
    long bytes = 0;
    for (DataFile unit :
        files.stream()
            .filter(table::isUnit)
            .sorted(Comparator.comparing((DataFile unit) -> unit.parts().toString()))
            .toList()) {
      group.add(unit);
      bytes += unit.bytes();
      if (bytes >= MERGED_BYTES) {
        groups.add(group);
        group = new ArrayList<>();
        bytes = 0;
      }
    }
    if (!group.isEmpty()) {
      groups.add(group);
    }
    return groups;
  }
}
