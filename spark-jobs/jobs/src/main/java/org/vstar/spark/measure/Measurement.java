package org.vstar.spark.measure;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Sample;
import org.vstar.spark.table.SampleFile;
import org.vstar.spark.table.SampleTable;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.TrajectoryFile;
import org.vstar.spark.table.UnitTable;
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
    return run(table(UnitTable.SAMPLES));
  }

  private SampleTable table(UnitTable which) {
    return new SampleTable(which, spark, store, LOG::warn);
  }

  /**
   * The same, of the run that there is.
   *
   * @throws InvalidInputException if there is none, or another, saying what differs
   */
  public Outcome resume() {
    SampleTable samples = table(UnitTable.SAMPLES);
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
    Recording recording = new Recording(samples, trajectories());
    recording.each().forEach(table -> table.begin(fingerprints, config.seed()));
    WantedSamples wanted =
        config.vstar().adaptive() == null
            ? asMany(recording, tasks, failures)
            : whereTheyHelp(recording, tasks);
    for (SampleTable table : recording.each()) {
      table.merge();
      table.tidy();
    }
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

  /**
   * Where samples are recorded.
   *
   * @param trajectories with their tokens; nowhere where they are not kept
   */
  private record Recording(SampleTable samples, Optional<SampleTable> trajectories) {
    List<SampleTable> each() {
      return trajectories.map(kept -> List.of(samples, kept)).orElse(List.of(samples));
    }

    void commit(List<Files> files) {
      samples.commit(files.stream().flatMap(f -> f.samples.stream()).toList());
      trajectories.ifPresent(
          kept -> kept.commit(files.stream().flatMap(f -> f.trajectories.stream()).toList()));
    }
  }

  /** What a unit of work has published. Lists, because these travel. */
  private record Files(ArrayList<DataFile> samples, ArrayList<DataFile> trajectories)
      implements Serializable {}

  private Optional<SampleTable> trajectories() {
    return config.vstar().keepTokens()
        ? Optional.of(table(UnitTable.TRAJECTORIES))
        : Optional.empty();
  }

  /** As many samples of each task. */
  private WantedSamples asMany(
      Recording samples, List<Task> tasks, Collection<EpisodeFailure> failures) {
    int[] counts = new int[tasks.size()];
    Arrays.fill(counts, config.vstar().samples());
    failures.addAll(sample(samples, "V*", tasks, counts));
    return WantedSamples.all(tables().tasks(), config.vstar().samples());
  }

  /** Round after round where they lower the expected error most. */
  private WantedSamples whereTheyHelp(Recording samples, List<Task> tasks) {
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
   * Takes what is missing. Each unit becomes a file of each table, by its executor, and the driver
   * adds these to the tables while others are still to come.
   */
  private Collection<EpisodeFailure> sample(
      Recording to, String what, List<Task> tasks, int[] counts) {
    Map<String, BitSet> there = to.samples.indices();
    List<UnitCutter.Missing> missing = cutter().missing(tasks, counts, there);
    Collection<EpisodeFailure> failures = List.of();
    if (!missing.isEmpty()) {
      to.samples.plan(missing.stream().map(m -> to.samples.unit(m.which())).toList());
      List<WorkUnit> units = units(to.samples, missing);
      boolean keep = to.trajectories.isPresent();
      failures = play(what, units, lacking(tasks, counts, there), true, keep, to);
    }
    to.trajectories.ifPresent(kept -> keepTokens(to, kept, tasks, counts));
    return failures;
  }

  /** Plays samples again that were taken without keeping their tokens, by the same seeds. */
  private void keepTokens(Recording to, SampleTable kept, List<Task> tasks, int[] counts) {
    Map<String, BitSet> taken = to.samples.indices();
    Map<String, BitSet> out = kept.indices();
    for (int i = 0; i < counts.length; i++) {
      BitSet never = new BitSet();
      never.set(0, counts[i]);
      never.andNot(taken.getOrDefault(tasks.get(i).id(), new BitSet()));
      never.or(out.getOrDefault(tasks.get(i).id(), new BitSet()));
      out.put(tasks.get(i).id(), never);
    }
    List<UnitCutter.Missing> missing = cutter().missing(tasks, counts, out);
    if (!missing.isEmpty()) {
      play("tokens", units(kept, missing), lacking(tasks, counts, out), false, true, to);
    }
  }

  private UnitCutter cutter() {
    return new UnitCutter(config.vstar().tasksPerUnit(), config.seed(), fingerprints);
  }

  private Collection<EpisodeFailure> play(
      String what, List<WorkUnit> units, int tasks, boolean samples, boolean tokens, Recording to) {
    // What travels to executors: not this record, which has the session.
    Store shared = store;
    Fingerprints under = fingerprints;
    try {
      return new DistributedRollouts(
              environment,
              reference,
              config.vstar().slots(),
              config.faults(),
              config.compute().cacheOutcomes())
          .run(
              spark,
              what,
              units,
              tasks,
              config.vstar().maxFailures(),
              (own, unit, played) -> {
                Files files = new Files(new ArrayList<>(), new ArrayList<>());
                if (tokens) {
                  TrajectoryFile.write(shared, unit.name(), played, under)
                      .ifPresent(files.trajectories::add);
                }
                if (samples) {
                  SampleFile.write(
                          shared, unit.name(), played.stream().map(Sample::of).toList(), under)
                      .ifPresent(files.samples::add);
                }
                return files;
              },
              to::commit)
          .failures();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          e.getMessage()
              + "; finished units are kept: submit/vstar again, or submit/train --resume, goes on from"
              + " them",
          e.getCause() == null ? e : e.getCause());
    }
  }

  private List<WorkUnit> units(SampleTable table, List<UnitCutter.Missing> missing) {
    return missing.stream()
        .map(
            samples -> new WorkUnit(table.unit(samples.which()).name(), config.sampling(), samples))
        .toList();
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
