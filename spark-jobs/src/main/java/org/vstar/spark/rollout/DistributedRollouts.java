package org.vstar.spark.rollout;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.vstar.env.Environment;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Rollouts.Request;
import org.vstar.model.rollout.Trajectory;

/**
 * Rollouts on executors. The work is cut into units before it is known how many executors there
 * are, so that results do not depend on them.
 *
 * @param environment what is played; sent to each executor once
 * @param policy who plays; sent to each executor once
 * @param slots episodes side by side on an executor core
 */
public record DistributedRollouts(Environment environment, Policy policy, int slots)
    implements Serializable {

  /**
   * Some episodes that one task of Spark plays.
   *
   * @param name the same work has the same name
   */
  public record WorkUnit(String name, SamplingConfig sampling, List<Request> requests)
      implements Serializable {}

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
   * Plays all units, and says on standard error how far it is.
   *
   * @param what the first words of each line
   * @param perTask rollouts of a task, for the number of tasks done
   * @return the results in the order of the units
   * @throws IllegalStateException if a unit failed for good
   */
  public <T> List<T> run(
      SparkSession spark, String what, List<WorkUnit> units, int perTask, UnitResult<T> result) {
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    Broadcast<DistributedRollouts> shared = sc.broadcast(this);
    LongAccumulator done = spark.sparkContext().longAccumulator("rollouts");
    long rollouts = units.stream().mapToLong(u -> u.requests().size()).sum();
    sc.setJobDescription(what + ": " + rollouts + " rollouts");
    spark.sparkContext().setCallSite(what + ": roll out, " + units.size() + " units");
    try {
      return Progress.await(
          sc.parallelize(units, units.size())
              .map(unit -> shared.value().play(unit, result, done))
              .collectAsync(),
          what,
          done,
          rollouts,
          perTask,
          System.err);
    } catch (ExecutionException e) {
      throw new IllegalStateException(what + " failed: " + e.getCause().getMessage(), e.getCause());
    } finally {
      spark.sparkContext().clearCallSite();
      sc.setJobDescription(null);
      shared.destroy();
    }
  }

  private <T> T play(WorkUnit unit, UnitResult<T> result, LongAccumulator done) throws IOException {
    List<Trajectory> trajectories =
        new Rollouts(environment, policy, unit.sampling()).run(unit.requests(), slots, 1);
    T made = result.of(environment, unit, trajectories);
    done.add(trajectories.size());
    return made;
  }
}
