package org.vstar.spark.table;

import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.SealedJson;
import org.vstar.spark.store.HadoopRunStore;

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
  }

  private static final int FORMAT = 1;
  private static final String PLANS = Tables.SAMPLES + "/_plans/";

  SamplePlan(SortedMap<String, String> about, long samples, List<Unit> units) {
    this(FORMAT, about, samples, units);
  }

  /**
   * Writes it, unless it is there.
   *
   * @param state the number of the table's state that it starts from
   */
  void publish(HadoopRunStore store, int state) throws IOException {
    ContentHash content = new ContentHash().add(samples);
    units.forEach(unit -> content.add(unit.name()));
    String name = String.format("%s%08d-%s.json", PLANS, state, content.hex());
    if (!store.exists(name)) {
      byte[] json = SealedJson.write(this);
      store.publish(name, out -> out.write(json));
    }
  }

  /**
   * The newest plan of a run, if it has one.
   *
   * @throws InvalidInputException if it is damaged
   */
  public static Optional<SamplePlan> newest(HadoopRunStore store) throws IOException {
    Optional<String> name = store.list(PLANS).stream().max(Comparator.naturalOrder());
    if (name.isEmpty()) {
      return Optional.empty();
    }
    String where = store.location(name.get());
    try (InputStream in = store.read(name.get())) {
      return Optional.of(
          SealedJson.read(
              where,
              in,
              SamplePlan.class,
              FORMAT,
              "delete it: submit/vstar plans what is missing anew"));
    }
  }
}
