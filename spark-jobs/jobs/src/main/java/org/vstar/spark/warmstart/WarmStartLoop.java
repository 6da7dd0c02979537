package org.vstar.spark.warmstart;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.env.Environment;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.WarmStartConfig;

/**
 * The rounds of a warm start. Between some of them a checkpoint is written, so that one that was
 * killed goes on and ends with the same numbers.
 *
 * @param settings all that its numbers depend on, by name
 */
record WarmStartLoop(RunStore store, WarmStartConfig warm, Map<String, String> settings) {

  private static final Logger LOG = LoggerFactory.getLogger(WarmStartLoop.class);

  /** Where the checkpoints of a warm start are that has not ended: the job has the lock of it. */
  static final String FOLDER = PolicyFiles.REFERENCE + "/checkpoints";

  /** How many there are: the newest, and the one before in case that is damaged. */
  private static final int KEPT = 2;

  /**
   * The rounds that a config asks for.
   *
   * @param start the policy before the first
   */
  static WarmStartLoop of(
      RunStore store,
      RunConfig config,
      Environment environment,
      DemonstrationBatches batches,
      Policy start) {
    boolean byEngine = config.policy().warmStart().imitation().equals(WarmStartConfig.BY_ENGINE);
    CanonicalJson settings =
        CanonicalJson.of("rounds of a warm start", 3)
            .with("seed", config.seed())
            .with("warmStart", config.policy().warmStart().canonical())
            .with("engine", byEngine ? engine(config) : null)
            .with("environment", environment.fingerprint())
            .with("sampling", config.sampling().fingerprint())
            .with("demonstrations", batches.sample(config))
            .with("start", start.fingerprint());
    return new WarmStartLoop(store, config.policy().warmStart(), settings.flat());
  }

  /** What the last bits depend on where an engine of the config's choice trains. */
  private static CanonicalJson engine(RunConfig config) {
    return CanonicalJson.of("engine of a warm start", 1)
        .with("engine", config.compute().engine())
        .with("dtype", config.compute().dtype())
        .with("microBatchTokens", config.train().batch().microBatchTokens());
  }

  /**
   * Refuses to begin anew where another warm start has not ended.
   *
   * @throws InvalidInputException saying how to go on with it
   */
  static void requireNone(RunStore store) {
    if (!Checkpoint.all(store, FOLDER).isEmpty()) {
      throw new InvalidInputException(
          "there is a warm start in "
              + store.location(FOLDER)
              + " that has not ended: --resume goes on with it; delete it to begin anew");
    }
  }

  /**
   * Goes through all rounds that are left.
   *
   * @param start the policy before the first
   * @param options what the engine of a checkpoint's policy may use
   * @param imitation of the policy to go on with
   * @return the policy after the last
   */
  Policy from(Policy start, EngineOptions options, Function<Policy, Imitation> imitation) {
    Optional<Checkpoint> newest =
        Checkpoint.newest(
            store,
            FOLDER,
            settings,
            start,
            options,
            damage -> LOG.warn(damage + "; the one before is tried"));
    newest.ifPresent(checkpoint -> start.engine().close());
    try (Imitation training = imitation.apply(newest.map(Checkpoint::policy).orElse(start))) {
      newest.ifPresent(training::restore);
      run(training, newest.map(this::taken).orElse(0));
      return training.policy();
    }
  }

  private int taken(Checkpoint checkpoint) {
    int rounds = checkpoint.state().step() / warm.schedule().batchesPerRound();
    Console.progress("warm start: goes on after round %d of %d", rounds, warm.schedule().rounds());
    return rounds;
  }

  private void run(Imitation training, int taken) {
    long began = System.nanoTime();
    for (int round = taken; round < warm.schedule().rounds(); round++) {
      double loss = training.round(round);
      Console.progress(
          "warm start: round %d of %d, loss %.4f, %.0f s",
          round + 1, warm.schedule().rounds(), loss, (System.nanoTime() - began) / 1e9);
      boolean last = round + 1 == warm.schedule().rounds();
      if (!last && (round + 1) % warm.schedule().checkpointEvery() == 0) {
        training.checkpoint(settings).save(store, FOLDER);
        Checkpoint.prune(store, FOLDER, KEPT);
      }
    }
  }
}
