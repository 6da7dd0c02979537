package org.vstar.spark.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
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
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Sample;
import org.vstar.spark.table.SampleFile;
import org.vstar.spark.table.SampleFiles;
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
    HadoopRunStore store,
    SparkSession spark) {

  /**
   * What came of it.
   *
   * @param failures rollouts whose environment failed
   * @param missing how many tasks have no V*
   */
  public record Outcome(Collection<EpisodeFailure> failures, long missing) {}

  /** The tables that it writes. */
  public Tables tables() {
    return new Tables(spark, store);
  }

  /** Takes the samples that are missing and writes the estimates. */
  public Outcome run() {
    Tables tables = tables();
    tables.requireShared();
    tables.writeTasks(environment);
    List<Task> tasks = environment.tasks(Split.TRAIN);
    Collection<EpisodeFailure> failures = new ArrayList<>();
    WantedSamples wanted =
        config.vstar().adaptive() == null ? asMany(tasks, failures) : whereTheyHelp(tasks);
    Set<String> failed = failures.stream().map(EpisodeFailure::taskId).collect(Collectors.toSet());
    long whole = tasks.size() - failed.size();
    if (whole > 0) {
      whole =
          new VStarTable(tables)
              .estimate(wanted, whole, config.vstar().settings(config.seed()), fingerprints);
    }
    return new Outcome(failures, tasks.size() - whole);
  }

  /** As many samples of each task. */
  private WantedSamples asMany(List<Task> tasks, Collection<EpisodeFailure> failures) {
    int[] counts = new int[tasks.size()];
    Arrays.fill(counts, config.vstar().samples());
    failures.addAll(sample("V*", tasks, counts));
    return WantedSamples.all(tables().tasks(), config.vstar().samples());
  }

  /** Round after round where they lower the expected error most. */
  private WantedSamples whereTheyHelp(List<Task> tasks) {
    VStarConfig.AdaptiveConfig adaptive = config.vstar().adaptive();
    AdaptiveRounds rounds =
        new AdaptiveRounds(tasks, config.vstar(), tables(), new TaskPredictor(spark));
    int[] counts = rounds.first();
    requireWhole(sample("V*, first round", tasks, counts));
    for (int round = 1; round <= adaptive.rounds(); round++) {
      counts = rounds.next(counts, round);
      String what = String.format("V*, round %d of %d", round, adaptive.rounds());
      requireWhole(sample(what, tasks, counts));
    }
    return rounds.wanted(counts);
  }

  /** The next round depends on all samples of this one. */
  private static void requireWhole(Collection<EpisodeFailure> failures) {
    if (!failures.isEmpty()) {
      throw new InvalidInputException(
          String.format(
              "%d rollouts failed in the environment, the first: %s; vstar.adaptive needs all of a"
                  + " round: mend the environment, then submit/vstar again, or submit/train --resume,"
                  + " goes on from there",
              failures.size(), failures.iterator().next()));
    }
  }

  /** Takes what is missing. Each unit becomes a file of the samples table, by its executor. */
  private Collection<EpisodeFailure> sample(String what, List<Task> tasks, int[] counts) {
    Map<String, BitSet> there =
        new SampleFiles(spark, store, System.err).indices(fingerprints, config.seed());
    List<WorkUnit> units =
        new SampleUnits(
                config.vstar().tasksPerUnit(), config.sampling(), config.seed(), fingerprints)
            .missing(tasks, counts, there);
    if (units.isEmpty()) {
      return List.of();
    }
    // What travels to executors: not this record, which has the session.
    HadoopRunStore shared = store;
    Fingerprints under = fingerprints;
    try {
      return new DistributedRollouts(environment, reference, config.vstar().slots())
          .run(
              spark,
              what,
              units,
              lacking(tasks, counts, there),
              config.vstar().maxFailures(),
              (own, unit, trajectories) -> {
                List<Sample> samples = trajectories.stream().map(Sample::of).toList();
                SampleFile.write(shared, samples, under);
                return samples.size();
              })
          .failures();
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          e.getMessage()
              + "; finished units are kept: submit/vstar again, or submit/train --resume, goes on from"
              + " them",
          e.getCause() == null ? e : e.getCause());
    }
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
