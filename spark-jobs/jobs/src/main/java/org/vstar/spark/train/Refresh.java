package org.vstar.spark.train;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.TaskValue;
import org.vstar.model.train.TrainConfig.RefreshConfig;
import org.vstar.model.train.Trainer;
import org.vstar.spark.console.Console;
import org.vstar.spark.measure.Measurement;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.VStarTable;

/**
 * Re-estimates V* during training. Every so many updates the current policy is kept as a reference
 * policy, executors sample it, and training continues against the new V*. Each estimate leaves what
 * a V* job leaves, {@code refresh/step-000300/reference} and {@code …/tables}, in the folder of the
 * training; the tables of the run's own reference policy stay as they are.
 *
 * <p>There is a checkpoint at each of these steps, so that a run that was killed while it measured
 * goes on with the samples that it has.
 */
final class Refresh {

  private static final Logger LOG = LoggerFactory.getLogger(Refresh.class);

  private final RunConfig config;
  private final Environment environment;
  private final Policy reference;
  private final EngineOptions options;
  private final Store store;
  private final String folder;
  private final SparkSession spark;
  private int origin;
  private Policy current;

  /**
   * Nothing is refreshed yet.
   *
   * @param reference the run's own
   * @param options what training may use
   * @param folder of the training
   */
  Refresh(
      RunConfig config,
      Environment environment,
      Policy reference,
      EngineOptions options,
      Store store,
      String folder,
      SparkSession spark) {
    this.config = config;
    this.environment = environment;
    this.reference = reference;
    this.options = options;
    this.store = store;
    this.folder = folder;
    this.spark = spark;
    this.current = reference;
  }

  /** Whether the update after so many needs another reference policy than the one before it. */
  boolean due(int step) {
    RefreshConfig refresh = config.train().target().refresh();
    return refresh != null && step > 0 && refresh.origin(step) == step;
  }

  /** Gives the trainer the reference policy and the V* of its next update. */
  void bring(Trainer trainer) throws IOException {
    RefreshConfig refresh = config.train().target().refresh();
    int wanted = refresh == null ? 0 : refresh.origin(trainer.step());
    if (wanted == origin) {
      return;
    }
    String place = String.format(Locale.ROOT, "%s/refresh/step-%06d", folder, wanted);
    String name = place + "/" + PolicyFiles.REFERENCE;
    boolean begun = PolicyFiles.exist(store, name);
    if (trainer.step() == wanted && !begun) {
      PolicyFiles.write(trainer.policy(), store, name);
    }
    Policy then = PolicyFiles.readTrained(store, name, reference, options);
    requireSame(trainer, wanted, then, place);
    Map<String, TaskValue> values = values(place, name, then);
    trainer.refresh(then, values);
    if (current != reference) {
      current.engine().close();
    }
    current = then;
    origin = wanted;
    Console.progress(
        "from step %d on, V* is that of the policy after %d steps: %.3f in the mean",
        trainer.step() + 1,
        wanted,
        values.values().stream().mapToDouble(TaskValue::vStar).average().orElse(0));
  }

  /** A run that went back, and came to the same step by other updates, has another policy there. */
  private void requireSame(Trainer trainer, int wanted, Policy then, String place) {
    String now = trainer.policy().fingerprint();
    if (trainer.step() == wanted && !then.fingerprint().equals(now)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s is of the policy %s, but after %d updates this run has %s: move or delete that"
                  + " folder, then --resume measures V* again",
              store.location(place),
              then.fingerprint(),
              wanted,
              now));
    }
  }

  /** What the tasks are worth under a policy of this run, measured if need be. */
  private Map<String, TaskValue> values(String place, String name, Policy then) {
    Fingerprints fingerprints = Fingerprints.of(then, environment, config.sampling());
    Measurement measurement =
        new Measurement(
            config, environment, fingerprints, stored(name), store.within(place), spark);
    // What was measured stays, so that a run that goes on has the same values: a task that failed
    // is not tried again.
    if (!measurement.tables().isWhole()) {
      measurement.run().failures().forEach(failure -> LOG.warn("{}", failure));
    }
    return new VStarTable(measurement.tables())
        .values(
            fingerprints, config.vstar().settings(config.seed()), environment.tasks(Split.TRAIN))
        .byTask();
  }

  private StoredPolicy stored(String name) {
    return config.train().lora() == null
        ? StoredPolicy.of(store, name, config.compute().engine(), config.samplingOptions())
        : StoredPolicy.trained(
            store,
            name,
            PolicyFiles.REFERENCE,
            config.compute().engine(),
            config.samplingOptions());
  }
}
