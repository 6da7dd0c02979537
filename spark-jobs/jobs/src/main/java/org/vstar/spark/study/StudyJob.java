package org.vstar.spark.study;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.policy.Policy;
import org.vstar.spark.console.Console;
import org.vstar.spark.measure.HeadroomTable;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.run.StudyConfig;
import org.vstar.spark.score.Headroom;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.StoredTables;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.train.Training;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Compares methods: each arm of a config's section {@code study} with each seed is a unit of work.
 * What is finished is a small file in {@code units}, and is not run again, wherever the study goes
 * on.
 */
@Command(
    name = "study",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = {
      "Trains each arm of a config's section study with each of its seeds, and compares them.",
      "The same command goes on with what is not finished."
    })
public final class StudyJob implements Callable<Integer> {

  private static final String PART = "study";

  /** The stage of a run in which executors sample. */
  private static final String SAMPLING = "V*";

  @Mixin private JobContext job;

  @Option(
      names = "--on-executors",
      description = {
        "train the arms side by side, each on an executor's core, except those that train on samples",
        "or refresh V*; the results are the same"
      })
  private boolean onExecutors;

  @Option(names = "--report", description = "only write tables and report of what is finished")
  private boolean reportOnly;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new StudyJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    StudyConfig study =
        Optional.ofNullable(job.config().study())
            .orElseThrow(
                () ->
                    new InvalidInputException(
                        "the config has no section study: conf/studies has some that have"));
    job.locked(PART, () -> compare(study));
    return 0;
  }

  private void compare(StudyConfig study) throws IOException {
    Store store = job.folder().store();
    Path file = job.configFile();
    List<PlannedRun> all = new ArrayList<>();
    Map<String, Environment> environments = new HashMap<>();
    for (PlannedRun run : PlannedRun.all(file, job.settings(), study)) {
      Environment environment =
          environments.computeIfAbsent(run.workFolder(), folder -> environment(run, file));
      all.add(run.within(study.rollouts(), environment, file));
    }
    List<PlannedRun> missing = reportOnly ? List.of() : missing(store, all);
    SparkSession spark = JobContext.session("Vstar study: " + job.config().name());
    if (!missing.isEmpty()) {
      Console.progress("study: %d of %d runs are missing", missing.size(), all.size());
    }
    run(spark, store, file, missing);
    StudyResults results = StudyResults.read(store, study);
    Console.progress("study: %d of %d runs are finished", results.runs(), all.size());
    results.tables(spark, store);
    new StudyReport(job.config().name(), study, results).write(store);
    Console.answer("report: %s", store.location(StudyReport.PAGE));
  }

  private static Environment environment(PlannedRun run, Path file) {
    return run.config()
        .environment()
        .open(file.toAbsolutePath().getParent(), run.seed())
        .environment();
  }

  private static List<PlannedRun> missing(Store store, List<PlannedRun> all) throws IOException {
    List<PlannedRun> missing = new ArrayList<>();
    for (PlannedRun run : all) {
      Optional<UnitResult> there = UnitResult.read(store, run.arm(), run.seed());
      if (there.isEmpty()) {
        missing.add(run);
      } else if (!there.get().settings().equals(run.settings())) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s is of other settings than the config's: delete it, so that it is run again, or"
                    + " give the arm another name",
                store.location(UnitResult.file(run.arm(), run.seed()))));
      }
    }
    return missing;
  }

  /** Runs by the V* table that they share, in the order of the config. */
  private void run(SparkSession spark, Store store, Path file, List<PlannedRun> missing)
      throws IOException {
    Map<String, List<PlannedRun>> byTable = new LinkedHashMap<>();
    missing.forEach(
        run -> byTable.computeIfAbsent(run.table(), table -> new ArrayList<>()).add(run));
    List<ArmRun> forExecutors = new ArrayList<>();
    for (List<PlannedRun> runs : byTable.values()) {
      Shared shared = stageOne(spark, store, file, runs);
      for (PlannedRun run : runs) {
        if (run.needsSpark()) {
          trainHere(store, file, run, shared);
        } else if (onExecutors) {
          forExecutors.add(shared.armRun(store, run));
        } else {
          Console.progress("study: %s", run);
          shared.armRun(store, run).run();
        }
      }
    }
    if (!forExecutors.isEmpty()) {
      JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
      sc.setJobDescription("study: " + forExecutors.size() + " runs");
      sc.parallelize(forExecutors, forExecutors.size()).foreach(ArmRun::run);
      sc.setJobDescription(null);
    }
  }

  /**
   * What runs share.
   *
   * @param work has the reference policy and the tables
   * @param values V*, if any of the runs needs it
   * @param seconds that sampling took
   * @param headroom what the samples leave to learn, if any of the runs needs them
   */
  private record Shared(
      Environment environment,
      Store work,
      VStarTable.Values values,
      double seconds,
      int cores,
      Optional<Headroom> headroom) {

    UnitResult.StageOne stageOne(PlannedRun run) {
      if (!run.readsTable()) {
        return new UnitResult.StageOne(0, 0, cores, null, null);
      }
      return new UnitResult.StageOne(
          run.stageOneRollouts(environment),
          seconds,
          cores,
          headroom.map(Headroom::success).orElse(null),
          headroom.map(Headroom::mixed).orElse(null));
    }

    ArmRun armRun(Store study, PlannedRun run) {
      boolean reads = run.readsTable();
      VStarTable.Values own =
          reads ? values : VStarTable.Values.none(environment.tasks(Split.TRAIN));
      return new ArmRun(
          run.arm(),
          run.seed(),
          run.tree().toString(),
          environment,
          new HashMap<>(own.byTask()),
          own.hash(),
          stageOne(run),
          (int) run.rolloutsPerStep(),
          run.settings(),
          study,
          work);
    }
  }

  /** The reference policy of some runs, and what its samples say if one of them asks. */
  private Shared stageOne(SparkSession spark, Store store, Path file, List<PlannedRun> runs) {
    PlannedRun first = runs.get(0);
    Store work = store.within(first.workFolder());
    String place = store.path(first.workFolder()).toString();
    Environment environment = environment(first, file);
    start(new WarmStartJob(), file, place, first, "--resume");
    Optional<PlannedRun> reader = runs.stream().filter(PlannedRun::readsTable).findFirst();
    if (reader.isEmpty()) {
      return new Shared(environment, work, null, 0, 1, Optional.empty());
    }
    RunFolder folder = new RunFolder(work);
    sample(folder, file, place, reader.get());
    RunConfig config = reader.get().config();
    Policy reference = folder.loadReference(config.compute().engine(), config.samplingOptions());
    List<Task> tasks = environment.tasks(Split.TRAIN);
    boolean estimated = runs.stream().anyMatch(run -> Training.readsTable(run.config()));
    VStarTable.Values values =
        estimated
            ? new VStarTable(new Tables(spark, work))
                .values(
                    Fingerprints.of(reference, environment, config.sampling()),
                    config.vstar().settings(config.seed()),
                    tasks)
            : VStarTable.Values.none(tasks);
    reference.engine().close();
    return new Shared(
        environment,
        work,
        values,
        folder.stageTimes().getOrDefault(SAMPLING, 0.0),
        spark.sparkContext().defaultParallelism(),
        HeadroomTable.update(new Tables(spark, work)));
  }

  /** Measures V*. A job that finds all samples there has not sampled: its time is not counted. */
  private static void sample(RunFolder folder, Path file, String place, PlannedRun run) {
    double seconds = folder.stageTimes().getOrDefault(SAMPLING, 0.0);
    long samples = new StoredTables(folder.store()).samples();
    start(new VStarJob(), file, place, run);
    if (new StoredTables(folder.store()).samples() == samples) {
      folder.recordStage(SAMPLING, seconds);
    }
  }

  /** Trains a run that needs Spark, as {@code submit/train} does, and writes its result. */
  private void trainHere(Store store, Path file, PlannedRun run, Shared shared) throws IOException {
    String place = store.path(run.workFolder()).toString();
    Console.progress("study: %s", run);
    List<String> more = new ArrayList<>(List.of("--resume"));
    if (run.offline()) {
      more.add("--offline");
    }
    start(new TrainJob(), file, place, run, more.toArray(String[]::new));
    ArmRun.finish(
        run.config(),
        shared.environment,
        shared.work,
        RunFolder.training(run.arm()),
        shared.stageOne(run),
        (step, online) -> run.rollouts(shared.environment, step, online),
        (int) run.rolloutsPerStep(),
        run.settings(),
        store);
  }

  private static void start(
      Callable<Integer> command, Path file, String place, PlannedRun run, String... more) {
    List<String> arguments = new ArrayList<>(List.of("--config", file.toString(), "--out", place));
    run.overrides().forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
    arguments.addAll(List.of(more));
    int code = JobContext.run(command, Console.err(), arguments.toArray(String[]::new));
    if (code != 0) {
      throw new InvalidInputException(
          "study: " + run + " has failed, the line before says why; what is finished is kept");
    }
  }
}
