package org.vstar.spark.train;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.train.StepReport;
import org.vstar.model.train.TrainConfig;
import org.vstar.model.train.Trainer;
import org.vstar.spark.console.Console;
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

  /**
   * What a training run is of.
   *
   * @param config with as many steps as the run has
   * @param folder its name in the store
   * @param settings all that its numbers depend on, by name
   * @param vStar the V* table
   * @param options what training may use of this machine
   * @param refresh measures V* again
   * @param offline the samples that are trained on; online it is empty
   * @param workers play episodes
   * @param report shows how far it has come
   */
  private record Run(
      RunConfig config,
      String folder,
      Map<String, String> settings,
      VStarTable.Values vStar,
      EngineOptions options,
      Refresh refresh,
      Optional<OfflineSamples> offline,
      RolloutWorkers workers,
      TrainingReport report) {
    String checkpoints() {
      return folder + "/checkpoints";
    }
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
    Policy reference = reference(config, config.trainingOptions());
    if (!resume && !store.list(folder + "/").isEmpty()) {
      throw new InvalidInputException(
          "there is a training run in "
              + store.location(folder)
              + " already: --resume goes on with it, another --out starts a new one");
    }
    EngineOptions options = TrainingMemory.forTraining(config, reference);
    if (!options.equals(config.trainingOptions())) {
      reference.engine().close();
      reference = reference(config, options);
    }
    Run run = run(config, environment, reference, options, folder);
    try (run.workers;
        run.refresh;
        Trainer trainer = trainer(run.config, environment, reference, run, store)) {
      MetricsSink.Start from =
          new MetricsSink.Start(
              config.name(), trainer.step(), run.settings, config.publishing().tracking());
      try (MetricsSink metrics = MetricsSink.openAll(store, folder, from)) {
        train(environment, trainer, run, store, metrics);
        requireFinite(trainer, run.config.train());
        finish(trainer, folder, store);
        metrics.complete();
      } catch (IOException | RuntimeException e) {
        run.report.stopped(trainer);
        throw e;
      }
    }
    job.folder()
        .extendStage(
            "train " + config.train().target().objective(), (System.nanoTime() - start) / 1e9);
  }

  private static void finish(Trainer trainer, String folder, RunStore store) throws IOException {
    String policy = folder + "/policy";
    PolicyFiles.write(trainer.policy(), store, policy);
    Console.answer(
        "policy %s after %d steps in %s",
        trainer.policy().fingerprint(), trainer.step(), store.location(policy));
  }

  private Policy reference(RunConfig config, EngineOptions options) {
    return job.folder().loadReference(config.compute().engine(), options);
  }

  private Run run(
      RunConfig config,
      Environment environment,
      Policy reference,
      EngineOptions options,
      String folder)
      throws IOException {
    SparkSession spark = JobContext.session("Vstar train: " + config.name());
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    Tables tables = JobContext.tables(spark, job.folder());
    boolean measured = config.objective().readsBaselines() || config.train().readsBaselines();
    VStarTable.Values values =
        measured
            ? new VStarTable(tables)
                .values(
                    fingerprints,
                    config.vstar().settings(config.seed()),
                    environment.tasks(Split.TRAIN))
            : VStarTable.Values.none(environment.tasks(Split.TRAIN));
    CanonicalJson settings =
        CanonicalJson.of("training run", 3)
            .with("train", config.train().canonical())
            .with(
                "objectives." + config.train().target().objective(), config.objective().canonical())
            .with("seed", config.seed())
            .with("fingerprints", fingerprints.canonical())
            .with("vStarTable", values.hash());
    if (measured || offline) {
      settings.with("vstar.samples", config.vstar().samples());
    }
    if (measured) {
      settings.with("vstar.beta1", config.vstar().beta1());
    }
    Refresh refresh =
        new Refresh(config, environment, reference, options, job.folder().store(), folder, spark);
    Optional<OfflineSamples> samples =
        offline ? Optional.of(new OfflineSamples(config, spark)) : Optional.empty();
    RunConfig planned = config;
    if (samples.isPresent()) {
      List<Task> tasks = Trainer.tasks(environment, values.byTask(), config.train(), config.seed());
      planned = config.withSteps(samples.get().steps(refresh.source(), tasks));
      settings.with("offline", true);
    }
    TrainingReport report =
        new TrainingReport(planned, environment, job.folder(), TrainingRecord.values(tables));
    RolloutWorkers workers = workers(config, environment, folder, spark);
    return new Run(
        planned, folder, settings.flat(), values, options, refresh, samples, workers, report);
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

  /** A trainer at step 0, or where the newest checkpoint was taken. */
  private static Trainer trainer(
      RunConfig config, Environment environment, Policy reference, Run run, RunStore store) {
    Optional<Checkpoint> newest =
        Checkpoint.newest(
            store,
            run.checkpoints(),
            run.settings,
            reference,
            run.options,
            damage -> LOG.warn(damage + "; the one before is tried"));
    newest.ifPresent(
        checkpoint -> requireMoreSteps(checkpoint.state(), config.train().schedule().steps()));
    Trainer trainer =
        new Trainer(
            environment,
            newest.map(Checkpoint::policy).orElseGet(() -> start(config, reference)),
            reference,
            config.sampling(),
            run.vStar.byTask(),
            config.objective(),
            config.train(),
            config.seed());
    newest.ifPresent(trainer::restore);
    return trainer;
  }

  /** A policy that is the reference still: a copy of it, or an adapter on it that adds nothing. */
  private static Policy start(RunConfig config, Policy reference) {
    LoraConfig lora = config.train().lora();
    if (lora == null) {
      return reference.copy();
    }
    long seed = Seeds.derive(config.seed(), "adapter");
    return reference.adapted(new Adapter(lora, lora.initial(reference.engine().config(), seed)));
  }

  /** More steps than planned are fine, and said; fewer than taken are not. */
  private static void requireMoreSteps(Checkpoint.State state, int steps) {
    if (steps < state.step()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "train.steps is %d, expected at least the %d that the run has taken",
              steps,
              state.step()));
    }
    if (steps != state.steps()) {
      LOG.warn(
          "train.steps was {} and is {} now: the learning rate of the steps to come follows the"
              + " new number",
          state.steps(),
          steps);
    }
  }

  private static void train(
      Environment environment, Trainer trainer, Run run, RunStore store, MetricsSink metrics)
      throws IOException {
    RunConfig config = run.config;
    TrainConfig train = config.train();
    if (trainer.step() == 0) {
      Validation.play(config, environment, trainer, run.workers, metrics);
      metrics.flush();
      run.report.write(trainer);
    }
    while (trainer.step() < train.schedule().steps()) {
      run.refresh.bring(trainer);
      StepReport step = step(trainer, run);
      metrics.scalars(MetricsSink.TRAIN, step.step(), scalars(step, run));
      say(step, train.schedule().steps(), trainer.skipped());
      requireFinite(trainer, train);
      boolean last = trainer.step() == train.schedule().steps();
      boolean evaluate = last || trainer.step() % train.schedule().evaluateEvery() == 0;
      if (evaluate) {
        Validation.play(config, environment, trainer, run.workers, metrics);
      }
      if (last
          || trainer.step() % train.schedule().checkpointEvery() == 0
          || run.refresh.due(trainer.step())) {
        metrics.flush();
        trainer.checkpoint(run.settings).save(store, run.checkpoints());
        Checkpoint.prune(store, run.checkpoints(), train.schedule().keepCheckpoints());
      }
      if (evaluate) {
        metrics.flush();
        run.report.write(trainer);
      }
    }
  }

  private static StepReport step(Trainer trainer, Run run) {
    return run.offline.isEmpty()
        ? trainer.next(run.workers)
        : trainer.next(run.offline.get().of(run.refresh.source(), trainer.tasks()));
  }

  private static Map<String, Double> scalars(StepReport step, Run run) {
    Map<String, Double> scalars = step.scalars();
    if (run.offline.isPresent()) {
      scalars.put("policy_lag", (double) (step.step() - run.refresh.source().origin()));
    }
    return scalars;
  }

  /** A policy that few updates have changed must not pass for a trained one. */
  private static void requireFinite(Trainer trainer, TrainConfig train) {
    boolean none = trainer.step() > 0 && trainer.skipped() == trainer.step();
    boolean last = trainer.step() >= train.schedule().steps();
    if (trainer.skipped() > train.limits().maxSkipped() * train.schedule().steps()
        || none && last) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "training stopped after step %d: %d of %d steps were skipped because their loss or"
                  + " gradient is not finite, or no group of returns differs, train.maxSkipped"
                  + " allows %.0f: lower train.optimizer.learningRate, look for huge rewards, or"
                  + " take easier tasks",
              trainer.step(),
              trainer.skipped(),
              train.schedule().steps(),
              Math.floor(train.limits().maxSkipped() * train.schedule().steps())));
    }
  }

  private static void say(StepReport step, int steps, int skipped) {
    double vStar = step.rollouts().vStar();
    double kl = step.divergence().kl();
    Console.progress(
        "step %d of %d: return %.3f%s, success %.3f, turns %.2f, %sentropy %.3f, %.1f s",
        step.step() + 1,
        steps,
        step.rollouts().episodeReturn(),
        Double.isNaN(vStar) ? "" : String.format(Locale.ROOT, " (V* %.3f)", vStar),
        step.rollouts().success(),
        step.rollouts().turns(),
        Double.isNaN(kl) ? "" : String.format(Locale.ROOT, "KL %.2f, ", kl),
        step.divergence().entropy(),
        step.seconds());
    if (step.update().skipped()) {
      LOG.warn(
          "step {} was skipped, its loss or gradient is not finite ({} so far)",
          step.step() + 1,
          skipped);
    }
  }
}
