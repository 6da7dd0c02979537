package org.vstar.spark.value;

import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.spark.rollout.DistributedRollouts;
import org.vstar.spark.rollout.DistributedRollouts.WorkUnit;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.VStarConfig;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Sample;
import org.vstar.spark.table.SampleFile;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Stage 1 of A*-PO: executors roll the frozen reference policy out N times per train task; from the
 * returns each task's V* is estimated. Writes the tables {@code tasks}, {@code samples} and {@code
 * vstar}.
 *
 * <p>A job that was killed goes on where it stopped, and one that is asked for more samples adds
 * the missing ones: only samples that are not in the table are taken.
 */
@Command(
    name = "vstar",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures what each train task is worth under the reference policy (V*).")
public final class VStarJob implements Callable<Integer> {

  @Mixin private JobContext job;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new VStarJob(), args);
  }

  @Override
  public Integer call() {
    long start = System.nanoTime();
    RunConfig config = job.config();
    config.sampling().requirePolicy("V*");
    Environment environment = job.environment();
    Policy reference = job.folder().loadReference(config.engine(), EngineOptions.ONE_THREAD);
    SparkSession spark = JobContext.session("Vstar V*: " + config.name());
    Tables tables = JobContext.tables(spark, job.folder());
    measure(config, environment, reference, job.folder().store(), tables, spark);
    job.folder().extendStage("V*", (System.nanoTime() - start) / 1e9);
    tables
        .vstar()
        .selectExpr(
            "count(*) AS tasks",
            "min(n) AS n",
            "round(avg(v_star), 4) AS v_star",
            "round(avg(v_star_se), 4) AS v_star_se",
            "round(avg(success_rate), 4) AS success_rate")
        .show(false);
    return 0;
  }

  /** Takes the samples that are missing and writes the estimates. */
  private static void measure(
      RunConfig config,
      Environment environment,
      Policy reference,
      HadoopRunStore store,
      Tables tables,
      SparkSession spark) {
    VStarConfig vstar = config.vstar();
    List<Task> tasks = environment.tasks(Split.TRAIN);
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    tables.requireSame(fingerprints);
    tables.writeTasks(environment);
    List<WorkUnit> units =
        new SampleUnits(
                vstar.samples(),
                vstar.tasksPerUnit(),
                config.sampling(),
                config.seed(),
                fingerprints)
            .missing(tasks, tables.existingKeys(config.seed(), fingerprints));
    if (!units.isEmpty()) {
      tables.requireShared();
      DistributedRollouts rollouts = new DistributedRollouts(environment, reference, vstar.slots());
      sample(rollouts, units, vstar.samples(), fingerprints, store, spark);
    }
    new VStarTable(tables)
        .estimate(
            tasks,
            new VStarTable.Settings(vstar.samples(), vstar.beta1(), config.seed()),
            fingerprints);
  }

  /** Each unit becomes a file of the samples table, written by its executor. */
  private static void sample(
      DistributedRollouts rollouts,
      List<WorkUnit> units,
      int perTask,
      Fingerprints fingerprints,
      HadoopRunStore store,
      SparkSession spark) {
    try {
      rollouts.run(
          spark,
          "V*",
          units,
          perTask,
          (environment, unit, trajectories) -> {
            List<Sample> samples = trajectories.stream().map(Sample::of).toList();
            SampleFile.write(store, unit.name(), samples, fingerprints);
            return samples.size();
          });
    } catch (IllegalStateException e) {
      throw new IllegalStateException(
          e.getMessage() + "; finished units are kept, and the same command goes on from them",
          e.getCause() == null ? e : e.getCause());
    }
  }
}
