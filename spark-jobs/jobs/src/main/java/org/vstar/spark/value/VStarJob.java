package org.vstar.spark.value;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.policy.Policy;
import org.vstar.spark.iceberg.IcebergTables;
import org.vstar.spark.measure.Measurement;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.VStarConfig;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.table.Columns;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.SamplePlan;
import org.vstar.spark.table.StoredTables;
import org.vstar.spark.table.Tables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Stage 1 of A*-PO: executors roll the frozen reference policy out N times per train task; from the
 * returns each task's V* is estimated. Writes the tables {@code tasks}, {@code samples} and {@code
 * vstar}.
 *
 * <p>A job that was killed goes on where it stopped, and one that is asked for more samples adds
 * the missing ones: only samples that are not in the table are taken. A job with another reference
 * policy, environment, reward, sampling or seed begins another run in the same place, and says why.
 */
@Command(
    name = "vstar",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = "Measures what each train task is worth under the reference policy (V*).")
public final class VStarJob implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(VStarJob.class);

  private static final String SAMPLES = "vstar.samples";

  @Mixin private JobContext job;

  @Option(
      names = "--samples",
      paramLabel = "N",
      description =
          "samples of each task in all, existing ones included (the same as --set vstar.samples=N)")
  private Integer samples;

  @Option(
      names = "--resume",
      description =
          "finish the existing run and refuse to begin another; the number of "
              + "samples is that of the run's plan unless the command sets one")
  private boolean resume;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new VStarJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    if (samples != null) {
      job.override(SAMPLES, samples);
    } else if (resume && !job.overrides(SAMPLES)) {
      finishPlan();
    }
    RunConfig config = job.config();
    config.sampling().requirePolicy("V*");
    Environment environment = job.environment();
    job.locked(Tables.FOLDER, () -> measure(config, environment));
    return 0;
  }

  /** A job that was to take more samples than the config says, and was killed, still does. */
  private void finishPlan() throws IOException {
    VStarConfig wanted = job.config().vstar();
    Store store = job.folder().store();
    TableLog.Snapshot there = new TableLog(store, Tables.SAMPLES).now();
    int planned = SamplePlan.newest(store, there.about()).map(SamplePlan::samplesPerTask).orElse(0);
    if (wanted.adaptive() == null && planned > wanted.samples()) {
      LOG.warn(
          "--resume: the plan of this run has {} samples of each task, the config {}: {} are taken"
              + " (--samples says otherwise)",
          planned,
          wanted.samples(),
          planned);
      job.override(SAMPLES, planned);
    }
  }

  private void measure(RunConfig config, Environment environment) throws IOException {
    long start = System.nanoTime();
    Policy reference =
        job.folder().loadReference(config.compute().engine(), config.samplingOptions());
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    reference.engine().close();
    SparkSession spark = JobContext.session("Vstar V*: " + config.name());
    Optional<IcebergTables> iceberg =
        Optional.ofNullable(config.publishing().iceberg()).map(to -> IcebergTables.open(spark, to));
    Measurement measurement =
        new Measurement(
            config,
            environment,
            fingerprints,
            job.folder().storedReference(config.compute().engine(), config.samplingOptions()),
            job.folder().store(),
            spark);
    Measurement.Outcome outcome = resume ? measurement.resume() : measurement.run();
    job.folder().extendStage("V*", (System.nanoTime() - start) / 1e9);
    outcome.failures().forEach(failure -> LOG.warn("{}", failure));
    int tasks = environment.tasks(Split.TRAIN).size();
    if (outcome.missing() == tasks) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%d rollouts failed in the environment, so no task has a V*: mend the environment,"
                  + " then the same command takes only what is missing",
              outcome.failures().size()));
    }
    iceberg.ifPresent(catalog -> register(catalog, job.folder().store()));
    show(measurement.tables());
    HeadroomJob.show(measurement.tables(), job.folder());
    if (outcome.missing() > 0) {
      LOG.warn(
          "{} of {} tasks have no V*: their environment failed, the table failures says how;"
              + " training leaves them out, the same command tries them again",
          outcome.missing(),
          tasks);
    }
  }

  private static void register(IcebergTables catalog, Store store) {
    catalog.register(store, "samples", Tables.SAMPLES, Columns.SAMPLES);
    catalog.register(store, StoredTables.VSTAR, Tables.VSTAR, Columns.VSTAR);
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
}
