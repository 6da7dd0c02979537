package org.vstar.spark.table;

import java.io.IOException;
import java.io.InputStream;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.SealedJson;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;

/**
 * What the V* job is about to sample. It is written before the first sample, so that whoever looks
 * at a run that was killed sees what it was to have; the job that goes on with it cuts what is left
 * into the same units.
 *
 * @param about fingerprints and the run's seed; a sample's seed follows from these, its task and
 *     its index
 * @param samples how many the table has when all units are in it
 * @param units in the order in which executors are given them
 */
public record SamplePlan(
    int version, SortedMap<String, String> about, long samples, List<Unit> units) {

  /**
   * Samples that one executor takes, and publishes as one file.
   *
   * @param name the same for the same samples under the same fingerprints and seed
   * @param parts sample indices by task: {@code 0-7,9}
   */
  public record Unit(String name, SortedMap<String, String> parts) {

    /** Names it by what it has. */
    static Unit of(SortedMap<String, String> about, SampleIndices indices) {
      SortedMap<String, String> parts = indices.parts();
      ContentHash name = new ContentHash();
      about.forEach((key, value) -> name.add(key).add(value));
      parts.forEach((task, which) -> name.add(task).add(which));
      return new Unit(name.hex(), parts);
    }

    /** How many samples. */
    long samples() {
      return SampleIndices.of(parts).size();
    }
  }

  private static final int FORMAT = 1;
  private static final int STATE_DIGITS = 8;
  private static final String PLANS = TableLog.internals(Tables.SAMPLES) + "plans/";

  SamplePlan(SortedMap<String, String> about, long samples, List<Unit> units) {
    this(FORMAT, about, samples, units);
  }

  /**
   * Writes it, unless it is there.
   *
   * @param state the number of the table's state that it starts from
   */
  void publish(Store store, int state) throws IOException {
    ContentHash content = new ContentHash().add(samples);
    units.forEach(unit -> content.add(unit.name()));
    String name =
        String.format(
            Locale.ROOT, "%s%0" + STATE_DIGITS + "d-%s.json", PLANS, state, content.hex());
    if (!store.exists(name)) {
      byte[] json = SealedJson.write(this);
      store.publish(name, out -> out.write(json));
    }
  }

  /** How many samples a task is to have, at most, when all units are in the table. */
  public int samplesPerTask() {
    SampleIndices all = new SampleIndices();
    units.forEach(unit -> all.addAll(SampleIndices.of(unit.parts)));
    return all.byTask().values().stream().mapToInt(BitSet::length).max().orElse(0);
  }

  /**
   * The newest plan under some fingerprints and a seed, if there is one. Of several that start from
   * the same state of the table, jobs that were killed before their first unit left, it is the one
   * that wants most.
   *
   * @throws InvalidInputException if one is damaged
   */
  public static Optional<SamplePlan> newest(Store store, SortedMap<String, String> about)
      throws IOException {
    SamplePlan newest = null;
    String state = "";
    for (String name : store.list(PLANS)) {
      SamplePlan plan = read(store, name);
      String from = name.substring(PLANS.length(), PLANS.length() + STATE_DIGITS);
      boolean wants = newest == null || !from.equals(state) || plan.samples > newest.samples;
      if (plan.about.equals(about) && wants) {
        newest = plan;
        state = from;
      }
    }
    return Optional.ofNullable(newest);
  }

  private static SamplePlan read(Store store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      return SealedJson.read(
          store.location(name),
          in,
          SamplePlan.class,
          FORMAT,
          "delete it: submit/vstar plans what is missing anew");
    }
  }
}
