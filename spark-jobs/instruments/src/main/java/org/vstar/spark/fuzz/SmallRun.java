package org.vstar.spark.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.ConfigFile;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.model.policy.Policy;
import org.vstar.spark.bench.UntrainedPolicy;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/**
 * A run of the bandit with everything that a run leaves: an untrained reference policy, tables, a
 * short training with checkpoints.
 *
 * @param configFile the bandit's preset
 * @param config with the small settings
 * @param folder the run's
 * @param spark one thread
 */
record SmallRun(Path configFile, RunConfig config, Path folder, SparkSession spark) {

  private static final Map<String, String> SETTINGS =
      Map.of(
          "environment.tasks", "12",
          "vstar.samples", "3",
          "vstar.tasksPerUnit", "4",
          "train.steps", "2",
          "train.tasksPerStep", "4",
          "train.evaluateTasks", "2",
          "train.checkpointEvery", "1");

  static SmallRun make(Path project, Path folder) throws IOException {
    Path file = project.resolve("conf/bandit.yaml");
    RunConfig config =
        new ConfigFile()
            .with(EnvironmentKind.all())
            .with(ObjectiveKind.all())
            .read(file, SETTINGS, RunConfig.class);
    SmallRun run = new SmallRun(file, config, folder, JobContext.session("Vstar fuzz"));
    PolicyFiles.write(
        UntrainedPolicy.of(config, run.environment()), run.store(), PolicyFiles.REFERENCE);
    run.require(new VStarJob());
    run.require(new TrainJob());
    return run;
  }

  Store store() {
    return Store.open(folder.toString());
  }

  Environment environment() {
    return config.environment().open(configFile.getParent(), config.seed()).environment();
  }

  Policy reference() {
    return new RunFolder(store())
        .loadReference(config.compute().engine(), EngineOptions.ONE_THREAD);
  }

  Fingerprints fingerprints() {
    return Fingerprints.of(reference(), environment(), config.sampling());
  }

  /** The command line of a job of this run, with its results elsewhere. */
  List<String> arguments(Path out) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--config", configFile.toString(), "--out", out.toString()));
    SETTINGS.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    return arguments;
  }

  private void require(Callable<Integer> job) {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int code =
        JobContext.run(
            job,
            new PrintStream(errors, true, StandardCharsets.UTF_8),
            arguments(folder).toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException(errors.toString(StandardCharsets.UTF_8));
    }
  }
}
