package org.vstar.spark.value;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.policy.Policy;
import org.vstar.spark.measure.Measurement;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Tables;
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
    Measurement measurement =
        new Measurement(
            config,
            environment,
            Fingerprints.of(reference, environment, config.sampling()),
            job.folder().storedReference(config.engine(), config.samplingOptions()),
            job.folder().store(),
            spark);
    Measurement.Outcome outcome = measurement.run();
    job.folder().extendStage("V*", (System.nanoTime() - start) / 1e9);
    if (outcome.missing() < environment.tasks(Split.TRAIN).size()) {
      show(measurement.tables());
    }
    report(outcome);
  }

  private static void show(Tables tables) {
    tables
        .vstar()
        .selectExpr(
            "count(*) AS tasks",
            "sum(n) AS samples",
            "round(avg(v_star), 4) AS v_star",
            "round(avg(v_star_high - v_star_low), 4) AS interval",
            "round(avg(success_rate), 4) AS success_rate")
        .show(false);
  }

  /**
   * The job has done what it could; what is missing must not pass for a success. (A unit that ran
   * twice may have failed once only.)
   */
  private static void report(Measurement.Outcome outcome) {
    outcome.failures().forEach(System.err::println);
    if (outcome.missing() > 0) {
      throw new InvalidInputException(
          String.format(
              "%d rollouts failed in the environment, so %d tasks have no V*, all others have: mend"
                  + " the environment, then the same command takes only what is missing",
              outcome.failures().size(), outcome.missing()));
    }
  }
}
