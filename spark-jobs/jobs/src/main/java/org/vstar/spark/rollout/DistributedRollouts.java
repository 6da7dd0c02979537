package org.vstar.spark.rollout;

import java.io.IOException;
import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.LongAccumulator;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.policy.BeamConfig;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.EpisodeFailure;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RetryPolicy;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;
import org.vstar.spark.console.Console;
import org.vstar.spark.tracking.SparkMetrics;

/**
 * Rollouts on executors. The work is cut into units before it is known how many executors there
 * are, so that results do not depend on them.
 *
 * @param environment what is played; sent to each executor once
 * @param policy who plays; opened by each executor once, from its files
 * @param slots episodes side by side on an executor core
 * @param retryPolicy for failures of the environment
 * @param cacheOutcomes whether what actions of a unit's episodes led to is not played again, where
 *     the environment is deterministic
 */
public record DistributedRollouts(
    Environment environment,
    StoredPolicy policy,
    int slots,
    RetryPolicy retryPolicy,
    boolean cacheOutcomes)
    implements Serializable {

  /**
   * Some episodes that one task of Spark plays.
   *
   * @param beams how answers are searched for; null where they are sampled
   */
  public record WorkUnit(String name, SamplingConfig sampling, BeamConfig beams, Requests requests)
      implements Serializable {

    /** Answers are sampled. */
    public WorkUnit(String name, SamplingConfig sampling, Requests requests) {
      this(name, sampling, null, requests);
    }

    private Rollouts rollouts(Rollouts plain, boolean cacheOutcomes) {
      Rollouts own = beams == null ? plain : plain.searching(beams);
      return cacheOutcomes ? own.rememberingOutcomes() : own;
    }
  }

  /** Episodes to be played; made where they are played, so that the driver need not hold them. */
  public interface Requests extends Serializable {
    /** How many there are. */
    int size();

    /** All of them, in order. */
    List<Request> all();
  }

  /** What becomes of a unit's trajectories, on the executor. */
  @FunctionalInterface
  public interface UnitResult<T> extends Serializable {
    /**
     * Makes what the driver gets.
     *
     * @param environment the executor's own; not to be captured from the driver
     */
    T of(Environment environment, WorkUnit unit, List<Trajectory> trajectories) throws IOException;
  }

  /**
   * What came of the units.
   *
   * @param results in the order of the units
   * @param failures episodes whose environment failed; these have no trajectory
   */
  public record Results<T>(List<T> results, Collection<EpisodeFailure> failures) {}

  /**
   * Plays all units, and says on standard error how far it is.
   *
   * @param what the first words of each line
   * @param tasks how many tasks they are of
   * @param maxFailures how many episodes may fail before it gives up
   * @param arrived is given each result once, on this thread and while others are still to come; if
   *     it throws, the job is given up
   * @throws InvalidInputException naming the first of the episodes that failed, if too many did
   * @throws IllegalStateException if a unit failed for good
   */
  public <T> Results<T> run(
      SparkSession spark,
      String what,
      List<WorkUnit> units,
      int tasks,
      int maxFailures,
      UnitResult<T> result,
      Consumer<List<T>> arrived) {
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    Broadcast<DistributedRollouts> shared = sc.broadcast(this);
    LongAccumulator done = spark.sparkContext().longAccumulator("rollouts");
    LongAccumulator spared = spark.sparkContext().longAccumulator("turns not played again");
    CollectionAccumulator<EpisodeFailure> failed =
        spark.sparkContext().collectionAccumulator("failures");
    CollectionAccumulator<T> made = spark.sparkContext().collectionAccumulator();
    Arrivals<T> arrivals = new Arrivals<>(made, arrived);
    long rollouts = units.stream().mapToLong(u -> u.requests().size()).sum();
    sc.setJobDescription(what + ": " + rollouts + " rollouts");
    spark.sparkContext().setCallSite(what + ": roll out, " + units.size() + " units");
    try (SparkMetrics metrics = SparkMetrics.register();
        TurnCount turns = TurnCount.listen(spark.sparkContext())) {
      LongAccumulator turnsTaken = turns.accumulator();
      List<T> results =
          new Progress(what, done, turns::total, rollouts, tasks, Console.err(), metrics)
              .await(
                  sc.parallelize(units, units.size())
                      .map(
                          unit ->
                              shared
                                  .value()
                                  .play(
                                      unit, result, done, turnsTaken, spared, failed, maxFailures))
                      .map(
                          unitResult -> {
                            made.add(unitResult);
                            return unitResult;
                          })
                      .collectAsync(),
                  () -> {
                    arrivals.pass();
                    requireFewer(what, failed, maxFailures);
                  });
      arrivals.pass();
      requireFewer(what, failed, maxFailures);
      if (spared.value() > 0) {
        Console.progress(
            "%s: %d of %d turns repeated earlier ones of their task and were not played",
            what, spared.value(), turns.total());
      }
      return new Results<>(results, distinct(failed));
    } catch (ExecutionException e) {
      arrivals.pass();
      throw new IllegalStateException(what + " failed: " + e.getCause().getMessage(), e.getCause());
    } finally {
      spark.sparkContext().clearCallSite();
      sc.setJobDescription(null);
      shared.destroy();
    }
  }

  /**
   * Results that have come and been passed on. Spark counts each unit once, however often it ran.
   */
  private static final class Arrivals<T> {

    private final CollectionAccumulator<T> come;
    private final Consumer<List<T>> to;
    private int passed;

    private Arrivals(CollectionAccumulator<T> come, Consumer<List<T>> to) {
      this.come = come;
      this.to = to;
    }

    private void pass() {
      List<T> all = come.value();
      List<T> fresh;
      synchronized (all) {
        fresh = List.copyOf(all.subList(passed, all.size()));
      }
      passed += fresh.size();
      if (!fresh.isEmpty()) {
        to.accept(fresh);
      }
    }
  }

  /** A unit that ran twice has told of its failures twice. */
  private static Collection<EpisodeFailure> distinct(CollectionAccumulator<EpisodeFailure> failed) {
    Map<String, EpisodeFailure> distinct = new TreeMap<>();
    List<EpisodeFailure> all = failed.value();
    synchronized (all) {
      all.forEach(f -> distinct.put(f.taskId() + " " + f.sampleIndex(), f));
    }
    return distinct.values();
  }

  private static void requireFewer(
      String what, CollectionAccumulator<EpisodeFailure> failed, int maxFailures) {
    Collection<EpisodeFailure> distinct = distinct(failed);
    if (distinct.size() > maxFailures) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s gave up after %d failures of the environment, the first: %s",
              what,
              distinct.size(),
              distinct.iterator().next()));
    }
  }

  private <T> T play(
      WorkUnit unit,
      UnitResult<T> result,
      LongAccumulator done,
      LongAccumulator turnsTaken,
      LongAccumulator spared,
      CollectionAccumulator<EpisodeFailure> failed,
      int maxFailures)
      throws IOException {
    Rollouts rollouts =
        unit.rollouts(
            new Rollouts(
                environment,
                policy.open(),
                unit.sampling(),
                0,
                retryPolicy,
                () -> turnsTaken.add(1)),
            cacheOutcomes);
    List<Request> requests = unit.requests().all();
    Rollouts.Played played = rollouts.play(requests, slots, 1);
    if (maxFailures == 0) {
      played.requireAll();
    }
    spared.add(played.sparedTurns());
    played.failures().forEach(failed::add);
    T made = result.of(environment, unit, played.trajectories());
    done.add(requests.size());
    return made;
  }
}
