package org.vstar.spark.train;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.train.StepReport;
import org.vstar.model.train.Trainer;
import org.vstar.spark.report.TrainingRecord;
import org.vstar.spark.rollout.ExecutorRollouts;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.run.TrainingMemory;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.tracking.MetricsSink;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stage 2 of A*-PO: the online loop on the driver, with V* from the table. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = "Trains the policy against the V* table, online or on stored samples.")
public final class TrainJob implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(TrainJob.class);

  @Mixin private JobContext job;

  @Option(names = "--resume", description = "go on from the newest checkpoint, if there is one")
  private boolean resume;

  /** Who plays episodes. */
  private enum Players {
    DRIVER,
    EXECUTORS
  }

  @Option(
      names = "--rollouts",
      paramLabel = "WHERE",
      defaultValue = "driver",
      description = {
        "who plays the episodes: driver (default) or executors, who are sent each step's weights;",
        "engine: vector gives the same policy to the last bit either way"
      })
  private Players rollouts;

  @Option(
      names = "--offline",
      description = {
        "train on the samples that submit/vstar took (vstar.keepTokens), and roll nothing out:",
        "train.offline.epochs passes, or train.steps updates"
      })
  private boolean offline;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new TrainJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunConfig config = job.config();
    Environment environment = job.environment();
    String folder = RunFolder.training(config.train().target().objective());
    job.locked(folder, () -> train(config, environment, folder));
    return 0;
  }

  private void train(RunConfig config, Environment environment, String folder) throws IOException {
    long start = System.nanoTime();
    Store store = job.folder().store();
    if (!resume && !store.list(folder + "/").isEmpty()) {
      throw new InvalidInputException(
          "there is a training run in "
              + store.location(folder)
              + " already: --resume goes on with it, another --out starts a new one");
    }
    TrainingMemory.Reference reference = TrainingMemory.reference(job.folder(), config);
    try {
      train(config, environment, reference.policy(), reference.options(), folder);
    } finally {
      reference.policy().engine().close();
    }
    job.folder()
        .extendStage(
            "train " + config.train().target().objective(), (System.nanoTime() - start) / 1e9);
  }

  private void train(
      RunConfig config,
      Environment environment,
      Policy reference,
      EngineOptions options,
      String folder)
      throws IOException {
    SparkSession spark = JobContext.session("Vstar train: " + config.name());
    Store store = job.folder().store();
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    Tables tables = JobContext.tables(spark, job.folder());
    VStarTable.Values values = values(config, environment, fingerprints, tables);
    Optional<OfflineSamples> samples =
        offline ? Optional.of(new OfflineSamples(config, spark)) : Optional.empty();
    try (Refresh refresh =
            new Refresh(config, environment, reference, options, store, folder, spark);
        RolloutWorkers workers = workers(config, environment, folder, spark)) {
      RunConfig planned = planned(config, environment, values, samples, refresh);
      TrainingReport report =
          new TrainingReport(planned, environment, job.folder(), TrainingRecord.values(tables));
      Training training =
          new Training(
              planned,
              environment,
              reference,
              options,
              store,
              folder,
              Training.settings(config, fingerprints, values.hash(), offline),
              values.byTask());
      training.run(steps(samples, refresh, workers, report), workers, MetricsSink.all());
    }
  }

  private static VStarTable.Values values(
      RunConfig config, Environment environment, Fingerprints fingerprints, Tables tables) {
    List<Task> tasks = environment.tasks(Split.TRAIN);
    return Training.readsTable(config)
        ? new VStarTable(tables).values(fingerprints, config.vstar().settings(config.seed()), tasks)
        : VStarTable.Values.none(tasks);
  }

  /** The config with as many steps as the run has. */
  private static RunConfig planned(
      RunConfig config,
      Environment environment,
      VStarTable.Values values,
      Optional<OfflineSamples> samples,
      Refresh refresh) {
    if (samples.isEmpty()) {
      return config;
    }
    List<Task> tasks = Trainer.tasks(environment, values.byTask(), config.train(), config.seed());
    return config.withSteps(samples.get().steps(refresh.source(), tasks));
  }

  private static Training.Steps steps(
      Optional<OfflineSamples> samples,
      Refresh refresh,
      RolloutWorkers workers,
      TrainingReport report) {
    return new Training.Steps() {
      private double refreshSeconds;

      @Override
      public StepReport take(Trainer trainer) throws IOException {
        long start = System.nanoTime();
        boolean refreshed = refresh.bring(trainer);
        refreshSeconds = refreshed ? (System.nanoTime() - start) / 1e9 : 0;
        return samples.isEmpty()
            ? trainer.next(workers)
            : trainer.next(samples.get().of(refresh.source(), trainer.tasks()));
      }

      @Override
      public Map<String, Double> scalars(StepReport step) {
        Map<String, Double> scalars = step.scalars();
        if (samples.isPresent()) {
          scalars.put("policy_lag", (double) (step.step() - refresh.source().origin()));
        }
        if (refreshSeconds > 0) {
          scalars.put("refresh_seconds", refreshSeconds);
        }
        return scalars;
      }

      @Override
      public boolean wantsCheckpoint(int step) {
        return refresh.due(step);
      }

      @Override
      public void show(Trainer trainer) {
        report.write(trainer);
      }

      @Override
      public void stopped(Trainer trainer) {
        report.stopped(trainer);
      }
    };
  }

  private RolloutWorkers workers(
      RunConfig config, Environment environment, String folder, SparkSession spark)
      throws IOException {
    int slots = config.train().batch().slots();
    if (rollouts == Players.DRIVER) {
      return RolloutWorkers.here(
          environment, slots, config.train().batch().threads(), config.faults());
    }
    StoredPolicy base =
        config.train().lora() == null
            ? null
            : job.folder().storedReference(config.compute().engine(), config.samplingOptions());
    ExecutorRollouts.Source weights =
        new ExecutorRollouts.Source(
            job.folder().store(),
            folder,
            base,
            config.compute().engine(),
            config.samplingOptions());
    return new ExecutorRollouts(spark, weights, environment, slots, config.faults());
  }
}
