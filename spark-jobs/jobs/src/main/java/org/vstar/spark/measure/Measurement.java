package org.vstar.spark.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.rollout.EpisodeFailure;
import org.vstar.spark.adaptive.TaskPredictor;
import org.vstar.spark.rollout.DistributedRollouts;
import org.vstar.spark.rollout.DistributedRollouts.WorkUnit;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.VStarConfig;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Sample;
import org.vstar.spark.table.SampleFile;
import org.vstar.spark.table.SamplePlan;
import org.vstar.spark.table.SampleTable;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.table.WantedSamples;

/**
 * Measures V* of all train tasks under a policy: executors take the samples that are missing, and
 * the estimates are made from them.
 *
 * @param fingerprints what the samples are drawn under
 * @param reference the policy, for executors
 * @param store has the tables
 */
public record Measurement(
    RunConfig config,
    Environment environment,
    Fingerprints fingerprints,
    StoredPolicy reference,
    Store store,
    SparkSession spark) {

  private static final Logger LOG = LoggerFactory.getLogger(Measurement.class);

  /**
   * What came of it.
   *
   * @param failures rollouts whose environment failed
   * @param missing how many tasks have no V*, because of them
   */
  public record Outcome(Collection<EpisodeFailure> failures, long missing) {}

  /** The tables that it writes. */
  public Tables tables() {
    return new Tables(spark, store);
  }

  /**
   * Takes the samples that are missing and writes the estimates. Where there are samples of another
   * run, this one begins beside them.
   */
  public Outcome run() {
    SampleTable samples = new SampleTable(spark, store, LOG::warn);
    return run(samples);
  }

  /**
   * The same, of the run that there is.
   *
   * @throws InvalidInputException if there is none, or another, saying what differs
   */
  public Outcome resume() {
    SampleTable samples = new SampleTable(spark, store, LOG::warn);
    samples.requireSame(fingerprints, config.seed());
    return run(samples);
  }

  private Outcome run(SampleTable samples) {
    Tables tables = tables();
    tables.requireUsable();
    tables.unmark();
    tables.writeTasks(environment);
    List<Task> tasks = environment.tasks(Split.TRAIN);
    Collection<EpisodeFailure> failures = new ArrayList<>();
    samples.begin(fingerprints, config.seed());
    WantedSamples wanted =
        config.vstar().adaptive() == null
            ? asMany(samples, tasks, failures)
            : whereTheyHelp(samples, tasks);
    samples.merge();
    samples.tidy();
    tables.writeFailures(failures, fingerprints);
    Set<String> failed = failures.stream().map(EpisodeFailure::taskId).collect(Collectors.toSet());
    long whole = tasks.size() - failed.size();
    if (whole > 0) {
      whole =
          new VStarTable(tables)
              .estimate(wanted, whole, config.vstar().settings(config.seed()), fingerprints);
    }
    if (whole > 0 && whole == tasks.size() - failed.size()) {
      tables.markWhole();
    }
    return new Outcome(failures, tasks.size() - whole);
  }

  /** As many samples of each task. */
  private WantedSamples asMany(
      SampleTable samples, List<Task> tasks, Collection<EpisodeFailure> failures) {
    int[] counts = new int[tasks.size()];
    Arrays.fill(counts, config.vstar().samples());
    failures.addAll(sample(samples, "V*", tasks, counts));
    return WantedSamples.all(tables().tasks(), config.vstar().samples());
  }

  /** Round after round where they lower the expected error most. */
  private WantedSamples whereTheyHelp(SampleTable samples, List<Task> tasks) {
    VStarConfig.AdaptiveConfig adaptive = config.vstar().adaptive();
    AdaptiveRounds rounds =
        new AdaptiveRounds(tasks, config.vstar(), tables(), new TaskPredictor(spark));
    int[] counts = rounds.first();
    requireWhole(sample(samples, "V*, first round", tasks, counts));
    for (int round = 1; round <= adaptive.rounds(); round++) {
      counts = rounds.next(counts, round);
      String what = String.format(Locale.ROOT, "V*, round %d of %d", round, adaptive.rounds());
      requireWhole(sample(samples, what, tasks, counts));
    }
    return rounds.wanted(counts);
  }

  /** The next round depends on all samples of this one. */
  private static void requireWhole(Collection<EpisodeFailure> failures) {
    if (!failures.isEmpty()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%d rollouts failed in the environment, the first: %s; vstar.adaptive needs all of a"
                  + " round: mend the environment, then submit/vstar again, or submit/train --resume,"
                  + " goes on from there",
              failures.size(),
              failures.iterator().next()));
    }
  }

  /**
   * Takes what is missing. Each unit becomes a file, by its executor, and the driver adds these to
   * the table while others are still to come.
   */
  private Collection<EpisodeFailure> sample(
      SampleTable table, String what, List<Task> tasks, int[] counts) {
    Map<String, BitSet> there = table.indices();
    List<UnitCutter.Missing> missing =
        new UnitCutter(config.vstar().tasksPerUnit(), config.seed(), fingerprints)
            .missing(tasks, counts, there);
    if (missing.isEmpty()) {
      return List.of();
    }
    List<WorkUnit> units = planned(table, missing);
    // What travels to executors: not this record, which has the session.
    Store shared = store;
    Fingerprints under = fingerprints;
    try {
      return new DistributedRollouts(
              environment, reference, config.vstar().slots(), config.faults())
          .run(
              spark,
              what,
              units,
              lacking(tasks, counts, there),
              config.vstar().maxFailures(),
              (own, unit, trajectories) -> {
                List<Sample> samples = trajectories.stream().map(Sample::of).toList();
                return SampleFile.write(shared, unit.name(), samples, under).stream().toList();
              },
              files -> table.commit(files.stream().flatMap(List::stream).toList()))
          .failures();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          e.getMessage()
              + "; finished units are kept: submit/vstar again, or submit/train --resume, goes on from"
              + " them",
          e.getCause() == null ? e : e.getCause());
    }
  }

  private List<WorkUnit> planned(SampleTable table, List<UnitCutter.Missing> missing) {
    List<SamplePlan.Unit> plan = new ArrayList<>();
    List<WorkUnit> units = new ArrayList<>();
    for (UnitCutter.Missing samples : missing) {
      SamplePlan.Unit unit = table.unit(samples.which());
      plan.add(unit);
      units.add(new WorkUnit(unit.name(), config.sampling(), samples));
    }
    table.plan(plan);
    return units;
  }

  /** How many tasks have not all of their samples. */
  private static int lacking(List<Task> tasks, int[] counts, Map<String, BitSet> there) {
    int lacking = 0;
    for (int i = 0; i < counts.length; i++) {
      BitSet has = there.getOrDefault(tasks.get(i).id(), new BitSet());
      lacking += has.nextClearBit(0) < counts[i] ? 1 : 0;
    }
    return lacking;
  }
}
