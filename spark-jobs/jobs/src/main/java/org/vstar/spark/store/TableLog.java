package org.vstar.spark.store;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.vstar.common.InvalidInputException;
import org.vstar.common.SealedJson;

/**
 * Which files a table has. Its manifests say so: small files that never change, each of which adds
 * files to what those before it said, or takes some away. A file that no manifest names is not in
 * the table, so that writers may die at any moment, and write a thing twice. The driver alone
 * writes manifests.
 *
 * <p>Nothing is renamed, overwritten or appended to. Two drivers that write at once, which locks
 * keep them from, write manifests of different names; readers take both.
 *
 * @param store has the files
 * @param table the name of its folder
 */
public record TableLog(Store store, String table) {

  private static final int FORMAT = 1;

  /** Beside the tables, so that a table's folder has the table and nothing else. */
  private static final String INTERNALS = "_log";

  private static final String MANIFESTS = "manifests/";

  /** After so many a manifest says all, so that readers need not read more. */
  private static final int ALL_AFTER = 64;

  /**
   * The folder of what belongs to a table and is not in it: manifests, plans, units, former
   * versions; with a slash behind it.
   *
   * @param table the name of the table's folder, {@code tables/samples} for example
   */
  public static String internals(String table) {
    int slash = table.lastIndexOf('/');
    return table.substring(0, slash + 1) + INTERNALS + table.substring(slash) + "/";
  }

  /** The table that a file belongs to, be it in it or not; none for files of no table. */
  public static Optional<String> tableOf(String file) {
    String[] parts = file.split("/");
    int name = parts.length > 1 && parts[1].equals(INTERNALS) ? 2 : 1;
    return parts.length > name + 1 ? Optional.of(parts[0] + "/" + parts[name]) : Optional.empty();
  }

  private String manifests() {
    return internals(table) + MANIFESTS;
  }

  /**
   * A manifest.
   *
   * @param number one more than that of the newest before it
   * @param covers the names of those that need not be read with it, because it says all
   * @param about what is to be known of the table from here on
   * @param removed why, by the names of files
   */
  private record Manifest(
      int version,
      int number,
      String time,
      Set<String> covers,
      SortedMap<String, String> about,
      List<DataFile> added,
      SortedMap<String, String> removed) {}

  /**
   * A state of the table.
   *
   * @param number of the newest manifest; 0 if there is none
   * @param since when that was written
   * @param about what is to be known of it
   * @param files by name, in the order in which they were added
   * @param manifests the names of those that say so
   */
  public record Snapshot(
      int number,
      Instant since,
      SortedMap<String, String> about,
      Map<String, DataFile> files,
      Set<String> manifests) {

    /** The file that was added last: all of a table that is one file. */
    public Optional<DataFile> newestFile() {
      return files.values().stream().reduce((older, newer) -> newer);
    }

    private static final Snapshot NONE =
        new Snapshot(0, Instant.EPOCH, new TreeMap<>(), Map.of(), Set.of());

    /** Files are of what was said of the table when they were added: of other words, others. */
    private Snapshot then(String name, Manifest manifest) {
      Map<String, DataFile> all =
          manifest.about.equals(about) ? new LinkedHashMap<>(files) : new LinkedHashMap<>();
      manifest.removed.keySet().forEach(all::remove);
      manifest.added.forEach(file -> all.putIfAbsent(file.name(), file));
      Set<String> read = new TreeSet<>(manifests);
      read.addAll(manifest.covers);
      read.add(name);
      return new Snapshot(manifest.number, Instant.parse(manifest.time), manifest.about, all, read);
    }
  }

  /**
   * What a commit changes.
   *
   * @param added files that are there
   * @param removed why files are no longer in the table, by name; they stay where they are
   * @param about what is to be known of the table from here on
   */
  public record Change(
      Collection<DataFile> added,
      SortedMap<String, String> removed,
      SortedMap<String, String> about) {}

  /**
   * The table as it is now.
   *
   * @throws InvalidInputException naming a manifest that is damaged
   */
  public Snapshot now() {
    SortedMap<String, Manifest> read = new TreeMap<>();
    List<String> names = new ArrayList<>(names());
    Set<String> covered = new TreeSet<>();
    // From the newest back to one that says all.
    for (int i = names.size() - 1; i >= 0; i--) {
      String name = names.get(i);
      if (!covered.contains(name)) {
        Manifest manifest = read(name);
        read.put(name, manifest);
        covered.addAll(manifest.covers);
      }
    }
    return fold(read);
  }

  /** The newest state of which something was to be known, if it has had one. */
  public Optional<Snapshot> newest(SortedMap<String, String> about) {
    Snapshot found = null;
    Snapshot at = Snapshot.NONE;
    for (String name : names()) {
      at = at.then(name, read(name));
      found = at.about.equals(about) ? at : found;
    }
    return Optional.ofNullable(found);
  }

  /** Every state that the table has had, the oldest first. */
  public List<Snapshot> all() {
    List<Snapshot> all = new ArrayList<>();
    Snapshot at = Snapshot.NONE;
    for (String name : names()) {
      at = at.then(name, read(name));
      all.add(at);
    }
    return all;
  }

  /**
   * What became of all files that a manifest has ever named.
   *
   * @param named their names
   * @param removed since when, by name, files are no longer in the table
   * @param reasons why, by name
   */
  public record History(
      Set<String> named, Map<String, Instant> removed, Map<String, String> reasons) {}

  /** The whole history; what was taken out and came back counts as there. */
  public History history() {
    Set<String> named = new TreeSet<>();
    Map<String, Instant> removed = new TreeMap<>();
    Map<String, String> reasons = new TreeMap<>();
    for (String name : names()) {
      Manifest manifest = read(name);
      for (DataFile file : manifest.added) {
        named.add(file.name());
        removed.remove(file.name());
      }
      manifest.removed.forEach(
          (file, why) -> {
            named.add(file);
            removed.put(file, Instant.parse(manifest.time));
            reasons.put(file, why);
          });
    }
    return new History(named, removed, reasons);
  }

  private static Snapshot fold(SortedMap<String, Manifest> manifests) {
    Snapshot at = Snapshot.NONE;
    for (Map.Entry<String, Manifest> next : manifests.entrySet()) {
      at = at.then(next.getKey(), next.getValue());
    }
    return at;
  }

  /**
   * Changes the table.
   *
   * @param from the state that is changed
   * @return the state after
   * @throws InvalidInputException if somebody else has changed it since
   */
  public Snapshot commit(Snapshot from, Change change) {
    requireUnchanged(from);
    int number = from.number + 1;
    String name =
        String.format(
            Locale.ROOT, "%08d-%s.json", number, UUID.randomUUID().toString().substring(0, 8));
    boolean all = number % ALL_AFTER == 0;
    Manifest delta =
        new Manifest(
            FORMAT,
            number,
            Instant.now().toString(),
            Set.of(),
            change.about,
            List.copyOf(change.added),
            change.removed);
    Snapshot after = from.then(name, delta);
    Manifest written =
        !all
            ? delta
            : new Manifest(
                FORMAT,
                number,
                delta.time,
                from.manifests,
                change.about,
                List.copyOf(after.files.values()),
                change.removed);
    try {
      byte[] json = SealedJson.write(written);
      store.publish(manifests() + name, out -> out.write(json));
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(manifests() + name), e);
    }
    return after;
  }

  /** A lock that could be lost is no reason to write over another's work. */
  private void requireUnchanged(Snapshot from) {
    for (String name : names()) {
      if (!from.manifests.contains(name)) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "another job has written to %s (manifest %s): this one writes nothing more; when the"
                    + " other has ended, the same command goes on from what both left",
                store.location(table),
                name));
      }
    }
  }

  private List<String> names() {
    try {
      return store.list(manifests()).stream()
          .map(name -> name.substring(name.lastIndexOf('/') + 1))
          .filter(name -> name.endsWith(".json"))
          .sorted()
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(manifests()), e);
    }
  }

  private Manifest read(String name) {
    String file = manifests() + name;
    String where = store.location(file);
    try (InputStream in = store.read(file)) {
      return SealedJson.read(
          where,
          in,
          Manifest.class,
          FORMAT,
          "delete it, then run submit/vstar again, which takes anew what only it named");
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + where, e);
    }
  }
}
