package org.vstar.spark.train;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.train.StepReport;
import org.vstar.model.train.TaskValue;
import org.vstar.model.train.TrainConfig;
import org.vstar.model.train.Trainer;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.tracking.MetricsSink;

/**
 * A training run, on the driver or on an executor: its updates, metrics, checkpoints and policy. It
 * knows no Spark.
 *
 * @param config with as many steps as the run has
 * @param options what training may use of this machine
 * @param folder its name in the store
 * @param settings all that its numbers depend on, by name
 * @param values of the train tasks, by id
 */
public record Training(
    RunConfig config,
    Environment environment,
    Policy reference,
    EngineOptions options,
    RunStore store,
    String folder,
    Map<String, String> settings,
    Map<String, TaskValue> values) {

  private static final Logger LOG = LoggerFactory.getLogger(Training.class);

  /** Where updates come from, and who looks on. */
  @FunctionalInterface
  public interface Steps {
    /** Takes the next update. */
    StepReport take(Trainer trainer) throws IOException;

    /** The numbers of an update that metric sinks are given. */
    default Map<String, Double> scalars(StepReport step) {
      return step.scalars();
    }

    /** Whether there has to be a checkpoint after so many updates. */
    default boolean wantsCheckpoint(int step) {
      return false;
    }

    /** Called before the first update and after each evaluation. */
    default void show(Trainer trainer) {}

    /** Called where training ends too soon. */
    default void stopped(Trainer trainer) {}
  }

  /** Whether a run needs a V* table: one that is held against 0 does not. */
  public static boolean readsTable(RunConfig config) {
    return config.train().readsBaselines(config.objective());
  }

  /**
   * All that a run's numbers depend on, by name.
   *
   * @param fingerprints of its reference policy, environment, reward and sampling
   * @param table hash of the V* table, or a word where none is read
   * @param offline whether it trains on stored samples
   */
  public static Map<String, String> settings(
      RunConfig config, Fingerprints fingerprints, String table, boolean offline) {
    CanonicalJson settings =
        CanonicalJson.of("training run", 3)
            .with("train", config.train().canonical())
            .with(
                "objectives." + config.train().target().objective(), config.objective().canonical())
            .with("seed", config.seed())
            .with("fingerprints", fingerprints.canonical())
            .with("vStarTable", table);
    if (readsTable(config) || offline) {
      settings.with("vstar.samples", config.vstar().samples());
    }
    if (readsTable(config)) {
      settings.with("vstar.beta1", config.vstar().beta1());
    }
    return (offline ? settings.with("offline", true) : settings).flat();
  }

  private String checkpoints() {
    return folder + "/checkpoints";
  }

  /**
   * Trains from the newest checkpoint, if there is one, to the last step, and writes the policy.
   *
   * @param workers play what is evaluated
   * @param sinks where its numbers go
   */
  public void run(Steps steps, RolloutWorkers workers, Iterable<MetricsSink.Kind> sinks)
      throws IOException {
    Trainer trainer = trainer();
    try (trainer) {
      MetricsSink.Start from =
          new MetricsSink.Start(
              config.name(), trainer.step(), settings, config.publishing().tracking());
      try (MetricsSink metrics = MetricsSink.open(sinks, store, folder, from)) {
        train(trainer, steps, workers, metrics);
        requireFinite(trainer);
        finish(trainer);
        metrics.complete();
      } catch (IOException | RuntimeException e) {
        steps.stopped(trainer);
        throw e;
      }
    } finally {
      trainer.policy().engine().close();
    }
  }

  private void finish(Trainer trainer) throws IOException {
    String policy = folder + "/policy";
    PolicyFiles.write(trainer.policy(), store, policy);
    Console.answer(
        "policy %s after %d steps in %s",
        trainer.policy().fingerprint(), trainer.step(), store.location(policy));
  }

  /** A trainer at step 0, or where the newest checkpoint was taken. */
  private Trainer trainer() {
    Optional<Checkpoint> newest =
        Checkpoint.newest(
            store,
            checkpoints(),
            settings,
            reference,
            options,
            damage -> LOG.warn(damage + "; the one before is tried"));
    newest.ifPresent(
        checkpoint -> requireMoreSteps(checkpoint.state(), config.train().schedule().steps()));
    Trainer trainer =
        new Trainer(
            environment,
            newest.map(Checkpoint::policy).orElseGet(this::start),
            reference,
            config.sampling(),
            values,
            config.objective(),
            config.train(),
            config.seed());
    newest.ifPresent(trainer::restore);
    return trainer;
  }

  /** A policy that is the reference still: a copy of it, or an adapter on it that adds nothing. */
  private Policy start() {
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

  private void train(Trainer trainer, Steps steps, RolloutWorkers workers, MetricsSink metrics)
      throws IOException {
    TrainConfig.Schedule schedule = config.train().schedule();
    if (trainer.step() == 0) {
      Validation.play(config, environment, trainer, workers, metrics);
      metrics.flush();
      steps.show(trainer);
    }
    while (trainer.step() < schedule.steps()) {
      StepReport step = steps.take(trainer);
      metrics.scalars(MetricsSink.TRAIN, step.step(), steps.scalars(step));
      say(step, schedule.steps(), trainer.skipped());
      requireFinite(trainer);
      boolean last = trainer.step() == schedule.steps();
      boolean evaluate = last || trainer.step() % schedule.evaluateEvery() == 0;
      if (evaluate) {
        Validation.play(config, environment, trainer, workers, metrics);
      }
      if (last
          || trainer.step() % schedule.checkpointEvery() == 0
          || steps.wantsCheckpoint(trainer.step())) {
        metrics.flush();
        trainer.checkpoint(settings).save(store, checkpoints());
        Checkpoint.prune(store, checkpoints(), schedule.keepCheckpoints());
      }
      if (evaluate) {
        metrics.flush();
        steps.show(trainer);
      }
    }
  }

  /** A policy that few updates have changed must not pass for a trained one. */
  private void requireFinite(Trainer trainer) {
    int steps = config.train().schedule().steps();
    double allowed = config.train().limits().maxSkipped() * steps;
    boolean none = trainer.step() > 0 && trainer.skipped() == trainer.step();
    if (trainer.skipped() > allowed || none && trainer.step() >= steps) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "training stopped after step %d: %d of %d steps were skipped because their loss or"
                  + " gradient is not finite, or no group of returns differs, train.maxSkipped"
                  + " allows %.0f: lower train.optimizer.learningRate, look for huge rewards, or"
                  + " take easier tasks",
              trainer.step(),
              trainer.skipped(),
              steps,
              Math.floor(allowed)));
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
