package org.vstar.spark.value;

import java.io.IOException;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.EpisodeFailure;
import org.vstar.spark.rollout.DistributedRollouts;
import org.vstar.spark.rollout.DistributedRollouts.WorkUnit;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.run.VStarConfig;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Sample;
import org.vstar.spark.table.SampleFile;
import org.vstar.spark.table.SampleFiles;
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
    footer = JobContext.SPARK_OPTIONS,
    description = "Measures what each train task is worth under the reference policy (V*).")
public final class VStarJob implements Callable<Integer> {

  @Mixin private JobContext job;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new VStarJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunConfig config = job.config();
    config.sampling().requirePolicy("V*");
    Environment environment = job.environment();
    job.alone(Tables.FOLDER, () -> measure(config, environment));
    return 0;
  }

  private void measure(RunConfig config, Environment environment) throws IOException {
    long start = System.nanoTime();
    Policy reference = job.folder().loadReference(config.engine(), config.samplingOptions());
    SparkSession spark = JobContext.session("Vstar V*: " + config.name());
    HadoopRunStore store = job.folder().store();
    Tables tables = JobContext.tables(spark, job.folder());
    Outcome outcome = new Measurement(config, environment, reference, store, tables, spark).run();
    job.folder().extendStage("V*", (System.nanoTime() - start) / 1e9);
    if (outcome.missing < environment.tasks(Split.TRAIN).size()) {
      show(tables);
    }
    report(outcome);
  }

  private static void show(Tables tables) {
    tables
        .vstar()
        .selectExpr(
            "count(*) AS tasks",
            "min(n) AS n",
            "round(avg(v_star), 4) AS v_star",
            "round(avg(v_star_high - v_star_low), 4) AS interval",
            "round(avg(success_rate), 4) AS success_rate")
        .show(false);
  }

  /**
   * The job has done what it could; what is missing must not pass for a success. (A unit that ran
   * twice may have failed once only.)
   */
  private static void report(Outcome outcome) {
    outcome.failures.forEach(System.err::println);
    if (outcome.missing > 0) {
      throw new InvalidInputException(
          String.format(
              "%d rollouts failed in the environment, so %d tasks have no V*, all others have: mend"
                  + " the environment, then the same command takes only what is missing",
              outcome.failures.size(), outcome.missing));
    }
  }

  /**
   * What came of a job.
   *
   * @param failures rollouts whose environment failed
   * @param missing how many tasks have no V*
   */
  private record Outcome(Collection<EpisodeFailure> failures, long missing) {}

  /** What a V* job does, between its first look at the tables and the estimates. */
  private record Measurement(
      RunConfig config,
      Environment environment,
      Policy reference,
      HadoopRunStore store,
      Tables tables,
      SparkSession spark) {

    /** Takes the samples that are missing and writes the estimates. */
    Outcome run() {
      VStarConfig vstar = config.vstar();
      List<Task> tasks = environment.tasks(Split.TRAIN);
      Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
      tables.requireShared();
      tables.writeTasks(environment);
      Map<String, BitSet> there =
          new SampleFiles(spark, store, System.err).indices(fingerprints, config.seed());
      List<WorkUnit> units =
          new SampleUnits(
                  vstar.samples(),
                  vstar.tasksPerUnit(),
                  config.sampling(),
                  config.seed(),
                  fingerprints)
              .missing(tasks, there);
      Collection<EpisodeFailure> failures =
          units.isEmpty() ? List.of() : sample(units, fingerprints);
      Set<String> failed =
          failures.stream().map(EpisodeFailure::taskId).collect(Collectors.toSet());
      long whole = tasks.size() - failed.size();
      if (whole > 0) {
        whole =
            new VStarTable(tables)
                .estimate(
                    whole,
                    new VStarTable.Settings(vstar.samples(), vstar.beta1(), config.seed()),
                    fingerprints);
      }
      return new Outcome(failures, tasks.size() - whole);
    }

    /** Each unit becomes a file of the samples table, written by its executor. */
    private Collection<EpisodeFailure> sample(List<WorkUnit> units, Fingerprints fingerprints) {
      HadoopRunStore shared = store;
      try {
        StoredPolicy stored =
            StoredPolicy.of(shared, RunFolder.REFERENCE, config.engine(), config.samplingOptions());
        return new DistributedRollouts(environment, stored, config.vstar().slots())
            .run(
                spark,
                "V*",
                units,
                config.vstar().samples(),
                config.vstar().maxFailures(),
                (own, unit, trajectories) -> {
                  List<Sample> samples = trajectories.stream().map(Sample::of).toList();
                  SampleFile.write(shared, samples, fingerprints);
                  return samples.size();
                })
            .failures();
      } catch (IllegalStateException e) {
        throw new IllegalStateException(
            e.getMessage() + "; finished units are kept, and the same command goes on from them",
            e.getCause() == null ? e : e.getCause());
      }
    }
  }
}
