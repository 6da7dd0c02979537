package org.vstar.spark.table;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.SampleFile.Look;

/**
 * The files of the samples table. Executors read all of them before their samples are relied on;
 * what is no whole file of this run is put aside, and its samples are missing then.
 *
 * @param spark reads them
 * @param store where they are
 * @param to is told which files were put aside
 */
public record SampleFiles(SparkSession spark, HadoopRunStore store, PrintStream to) {

  /** The folder of what was put aside. */
  static final String ASIDE = "tables/set-aside";

  /** How many files are named one by one. */
  private static final int NAMED = 10;

  /**
   * The samples that are there, as sample indices by task.
   *
   * @throws InvalidInputException if the table is one of another run, saying what differs
   */
  public Map<String, BitSet> indices(Fingerprints fingerprints, long seed) {
    List<Look> looks = looks(fingerprints, seed);
    List<Look> own = looks.stream().filter(Look::usable).toList();
    List<Look> foreign = looks.stream().filter(look -> look.foreign() != null).toList();
    if (!foreign.isEmpty() && foreign.size() >= own.size()) {
      throw new InvalidInputException(
          "the table " + store.location(Tables.SAMPLES) + " " + foreign.get(0).foreign());
    }
    List<Look> aside = new ArrayList<>(looks.stream().filter(look -> !look.usable()).toList());
    Map<String, BitSet> indices = new HashMap<>();
    // The fullest first: of a unit that was written twice, once without what had failed, one stays.
    for (Look look : own.stream().sorted(Comparator.comparing(Look::samples).reversed()).toList()) {
      if (!addTo(indices, look)) {
        aside.add(look.without("all of its samples are in other files"));
      }
    }
    setAside(aside);
    return indices;
  }

  /** Whether a file has samples that no file before it has. */
  private static boolean addTo(Map<String, BitSet> indices, Look look) {
    boolean more = false;
    for (var of : look.indices().entrySet()) {
      BitSet there = indices.computeIfAbsent(of.getKey(), k -> new BitSet());
      int before = there.cardinality();
      there.or(of.getValue());
      more |= there.cardinality() > before;
    }
    return more;
  }

  private List<Look> looks(Fingerprints fingerprints, long seed) {
    try {
      List<String> names = store.list(Tables.SAMPLES + "/");
      if (names.isEmpty()) {
        return List.of();
      }
      HadoopRunStore shared = store;
      JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
      sc.setJobDescription("V*: check " + names.size() + " files of samples");
      int pieces = Math.min(names.size(), 4 * sc.defaultParallelism());
      try {
        List<Look> looks = new ArrayList<>();
        for (Look look :
            sc.parallelize(names, pieces)
                .map(name -> SampleFile.look(shared, name, fingerprints, seed))
                .collect()) {
          // An executor's own disk or memory may be what is damaged: the driver looks again.
          looks.add(
              look.damage() == null
                  ? look
                  : SampleFile.look(store, look.name(), fingerprints, seed));
        }
        return looks;
      } finally {
        sc.setJobDescription(null);
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(Tables.SAMPLES), e);
    }
  }

  private void setAside(List<Look> unusable) {
    List<String> lines = new ArrayList<>();
    for (Look look : unusable) {
      String why = look.damage() != null ? look.damage() : "it " + look.foreign();
      try {
        String now = store.moveInto(ASIDE, look.name());
        lines.add(
            String.format(
                "%s is not usable (%s): moved to %s; samples that are missing are taken again",
                store.location(look.name()), why, store.location(now)));
      } catch (IOException e) {
        throw InvalidInputException.cannot("put " + store.location(look.name()) + " aside", e);
      }
    }
    lines.stream().limit(NAMED).forEach(to::println);
    if (lines.size() > NAMED) {
      to.printf("and %d more files, all in %s%n", lines.size() - NAMED, store.location(ASIDE));
    }
  }
}
