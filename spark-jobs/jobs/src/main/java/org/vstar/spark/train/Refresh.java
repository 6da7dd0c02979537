package org.vstar.spark.train;

import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;

/**
 * Re-estimates V* during training. Every so many updates the current policy is kept as a reference
 * policy, executors sample it, and training continues against the new V*. Each estimate leaves what
 * a V* job leaves, {@code refresh/step-000300/reference} and {@code …/tables}, in the folder of the
 * training; the tables of the run's own reference policy stay as they are.
 *
 * <p>There is a checkpoint at each of these steps, so that a run that was killed while it measured
 * goes on with the samples that it has.
 *
 * <p>With {@code overlap} executors sample while training goes on against the estimate before.
 * Which estimate an update is held against is a matter of its number alone, never of who was done
 * first.
 */
final class Refresh implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Refresh.class);

  private final RunConfig config;
  private final Environment environment;
  private final Policy reference;
  private final EngineOptions options;
  private final Store store;
  private final String folder;
  private final SparkSession spark;
  private final ExecutorService beside =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "refresh");
            thread.setDaemon(true);
            return thread;
          });
  private final Map<Integer, Future<?>> measuring = new HashMap<>();
  private int begun;
  private int origin;
  private Policy current;
  private OfflineSamples.Source source;

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
    this.source =
        new OfflineSamples.Source(
            store, Fingerprints.of(reference, environment, config.sampling()), 0);
  }

  /** Whether a policy of after so many updates is to be kept as a reference policy. */
  boolean due(int step) {
    RefreshConfig refresh = config.train().target().refresh();
    return refresh != null && step > 0 && step % refresh.every() == 0;
  }

  /** What the trainer is held against now. */
  OfflineSamples.Source source() {
    return source;
  }

  /** Gives the trainer the reference policy and the V* of its next update. */
  boolean bring(Trainer trainer) throws IOException {
    begin(trainer);
    RefreshConfig refresh = config.train().target().refresh();
    int wanted = refresh == null ? 0 : refresh.origin(trainer.step());
    if (wanted == origin) {
      return false;
    }
    keep(trainer, wanted);
    await(wanted);
    Policy then = read(wanted);
    Fingerprints fingerprints = Fingerprints.of(then, environment, config.sampling());
    Map<String, TaskValue> values = values(wanted, fingerprints);
    trainer.refresh(then, values);
    if (current != reference) {
      current.engine().close();
    }
    current = then;
    origin = wanted;
    source = new OfflineSamples.Source(store.within(place(wanted)), fingerprints, wanted);
    Console.progress(
        "from step %d on, V* is that of the policy after %d steps: %.3f in the mean",
        trainer.step() + 1,
        wanted,
        values.values().stream().mapToDouble(TaskValue::vStar).average().orElse(0));
    return true;
  }

  /** Begins, beside training, an estimate that later updates are held against. */
  private void begin(Trainer trainer) throws IOException {
    RefreshConfig refresh = config.train().target().refresh();
    if (refresh == null || !refresh.overlap()) {
      return;
    }
    int newest = trainer.step() / refresh.every() * refresh.every();
    if (newest <= begun) {
      return;
    }
    keep(trainer, newest);
    // A run that ends before anything is held against it may yet be given more steps.
    if (newest + refresh.every() >= trainer.steps()) {
      return;
    }
    begun = newest;
    Policy then = read(newest);
    Fingerprints fingerprints = Fingerprints.of(then, environment, config.sampling());
    then.engine().close();
    measuring.put(newest, beside.submit(() -> measure(newest, fingerprints)));
  }

  /** Waits for an estimate that was begun beside training. */
  private void await(int wanted) {
    Future<?> begunBefore = measuring.remove(wanted);
    if (begunBefore == null) {
      return;
    }
    try {
      begunBefore.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException("V* was not measured: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while V* was measured", e);
    }
  }

  private String place(int step) {
    return String.format(Locale.ROOT, "%s/refresh/step-%06d", folder, step);
  }

  private String name(int step) {
    return place(step) + "/" + PolicyFiles.REFERENCE;
  }

  private Policy read(int step) {
    return PolicyFiles.readTrained(store, name(step), reference, options);
  }

  /**
   * Keeps the present policy, if it is the one of a step. A run that went back, and came to the
   * same step by other updates, has another policy there.
   */
  private void keep(Trainer trainer, int step) throws IOException {
    if (trainer.step() != step) {
      return;
    }
    if (!PolicyFiles.exist(store, name(step))) {
      PolicyFiles.write(trainer.policy(), store, name(step));
      return;
    }
    Policy then = read(step);
    String there = then.fingerprint();
    then.engine().close();
    String now = trainer.policy().fingerprint();
    if (!there.equals(now)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s is of the policy %s, but after %d updates this run has %s: move or delete that"
                  + " folder, then --resume measures V* again",
              store.location(place(step)),
              there,
              step,
              now));
    }
  }

  /**
   * Measures what tasks are worth under a policy of this run. What was measured stays, so that a
   * run that goes on has the same values: a task that failed is not tried again.
   */
  private void measure(int step, Fingerprints fingerprints) {
    Measurement measurement =
        new Measurement(
            config,
            environment,
            fingerprints,
            stored(name(step)),
            store.within(place(step)),
            spark);
    if (!measurement.tables().isWhole()) {
      measurement.run().failures().forEach(failure -> LOG.warn("{}", failure));
    }
  }

  private Map<String, TaskValue> values(int step, Fingerprints fingerprints) {
    measure(step, fingerprints);
    return new VStarTable(new Tables(spark, store.within(place(step))))
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

  /** Gives up what is measured beside training. */
  @Override
  public void close() {
    beside.shutdownNow();
    if (current != reference) {
      current.engine().close();
    }
  }
}
