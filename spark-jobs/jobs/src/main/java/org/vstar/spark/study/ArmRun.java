package org.vstar.spark.study;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.RunStore;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.engine.Engine;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.TaskValue;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.run.TrainingMemory;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.tracking.JsonLines;
import org.vstar.spark.train.Training;

/**
 * A run of an arm, wherever it is: on an executor, or here. It trains from the newest checkpoint
 * that is there, plays the trained policy on all validation tasks, and writes its result.
 *
 * @param config all that is in the config with the arm's overrides, as JSON
 * @param environment where it acts
 * @param values of the train tasks, by id
 * @param table hash of the V* table, or a word where the arm reads none
 * @param stageOne what was spent before training
 * @param perStep rollouts of an update
 * @param settings content hash of all that the result depends on
 * @param study where results go
 * @param work where the reference policy is, and the training is kept
 */
record ArmRun(
    String arm,
    long seed,
    String config,
    Environment environment,
    HashMap<String, TaskValue> values,
    String table,
    UnitResult.StageOne stageOne,
    int perStep,
    String settings,
    Store study,
    Store work)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /** How long the run that an executor left behind may hold its folder. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private RunConfig read() throws IOException {
    Path file = Files.createTempFile("vstar-study", ".yaml");
    try {
      Files.writeString(file, config);
      return JobContext.read(file.toString(), Map.of());
    } finally {
      Files.delete(file);
    }
  }

  /** Trains, plays, writes. */
  void run() {
    try {
      RunConfig own = read();
      String folder = RunFolder.training(arm);
      RunStore.Lock lock = work.lock(folder, "study", PATIENCE);
      try {
        train(own, folder);
        finish(own, folder);
      } finally {
        lock.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the run of " + arm + " with seed " + seed + ": " + e, e);
    }
  }

  private void train(RunConfig own, String folder) throws IOException {
    TrainingMemory.Reference reference = TrainingMemory.reference(new RunFolder(work), own);
    Fingerprints fingerprints = Fingerprints.of(reference.policy(), environment, own.sampling());
    try (RolloutWorkers workers = workers(own, environment)) {
      new Training(
              own,
              environment,
              reference.policy(),
              reference.options(),
              work,
              folder,
              Training.settings(own, fingerprints, table, false),
              values)
          .run(trainer -> trainer.next(workers), workers, List.of(new JsonLines.Opener()));
    } finally {
      reference.policy().engine().close();
    }
  }

  private static RolloutWorkers workers(RunConfig own, Environment environment) {
    return RolloutWorkers.here(
        environment, own.train().batch().slots(), own.train().batch().threads(), own.faults());
  }

  private void finish(RunConfig own, String folder) throws IOException {
    finish(
        own,
        environment,
        work,
        folder,
        stageOne,
        (step, online) -> stageOne.rollouts() + online,
        perStep,
        settings,
        study);
  }

  /** Plays a trained policy on all validation tasks, and writes what the run came to. */
  static void finish(
      RunConfig own,
      Environment environment,
      Store work,
      String folder,
      UnitResult.StageOne stageOne,
      UnitResult.Charge charge,
      int perStep,
      String settings,
      Store study)
      throws IOException {
    String arm = own.train().target().objective();
    Policy trained =
        new RunFolder(work)
            .storedTrained(arm, own.compute().engine(), own.trainingOptions())
            .orElseThrow()
            .open();
    List<Request> requests =
        environment.tasks(Split.VALIDATION).stream()
            .map(
                task ->
                    new Request(task, 0, Seeds.derive(own.seed(), "study validation", task.id())))
            .toList();
    List<Trajectory> played;
    try (RolloutWorkers workers = workers(own, environment)) {
      played = workers.play(trained, 0, own.sampling().greedy(), requests);
    }
    new UnitResult(
            arm,
            own.seed(),
            settings,
            stageOne,
            UnitResult.curve(JsonLines.read(work, folder), charge),
            played.stream().map(UnitResult.Episode::of).toList(),
            trained.fingerprint(),
            own.train().batch().threads(),
            perStep)
        .write(study);
    trained.engine().close();
    trained.engine().base().ifPresent(Engine::close);
  }
}
