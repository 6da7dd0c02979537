package org.vstar.spark.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.vstar.common.AtomicFiles;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.EngineOptions;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/**
 * Whole jobs on a run one file of which is changed, or with a setting that is odd. They end with 0
 * or with one line and 2, and leave nothing half-written.
 *
 * @param run what is copied
 * @param values V* by task of a run that nobody changed
 * @param policy the fingerprint of what it trains
 */
record JobTarget(SmallRun run, Path scratch, Object values, Object policy) implements Target {

  private static final List<String> KEYS =
      List.of(
          "vstar.samples",
          "vstar.beta1",
          "vstar.tasksPerUnit",
          "vstar.slots",
          "train.tasksPerStep",
          "train.evaluateTasks",
          "train.microBatchTokens",
          "train.optimizer.learningRate",
          "sampling.temperature",
          "sampling.maxTokensPerTurn",
          "environment.chance",
          "seed",
          "name");

  static JobTarget of(SmallRun run, Path scratch) throws IOException {
    JobTarget bare = new JobTarget(run, scratch, null, null);
    Path folder = scratch.resolve("unchanged");
    bare.copy(folder);
    List<String> arguments = new ArrayList<>(run.arguments(folder));
    arguments.addAll(List.of("--resume", "--set", "train.steps=3"));
    int code = JobContext.run(new TrainJob(), System.err, arguments.toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("a run that nobody changed does not go on");
    }
    return new JobTarget(
        run, scratch, bare.left(new VStarJob(), folder), bare.left(new TrainJob(), folder));
  }

  @Override
  public String name() {
    return "job";
  }

  @Override
  public int weight() {
    return 2;
  }

  @Override
  public void attack(SplittableRandom random) throws IOException {
    Path folder = scratch.resolve("job");
    AtomicFiles.delete(folder);
    List<Path> files = copy(folder);
    List<String> arguments = new ArrayList<>(run.arguments(folder));
    Callable<Integer> job = random.nextBoolean() ? new VStarJob() : new TrainJob();
    if (job instanceof TrainJob) {
      arguments.addAll(List.of("--resume", "--set", "train.steps=3"));
    }
    boolean odd = random.nextInt(3) == 0;
    if (odd) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      arguments.addAll(List.of("--set", key + "=" + Mutation.odd(random)));
    } else {
      Path file = files.get(random.nextInt(files.size()));
      Files.write(file, Mutation.bytes(random, Files.readAllBytes(file)));
    }
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int code =
        JobContext.run(
            job,
            new PrintStream(errors, true, StandardCharsets.UTF_8),
            arguments.toArray(String[]::new));
    String said = errors.toString(StandardCharsets.UTF_8);
    requireWhole(folder);
    if (code == 2 && said.startsWith("error: ") && said.lines().count() == 1) {
      throw new InvalidInputException(said);
    }
    if (code != 0) {
      throw new Finding("exit code " + code + " and: " + said);
    }
    if (!odd) {
      Target.requireEqual(
          "what the job left", job instanceof TrainJob ? policy : values, left(job, folder));
    }
  }

  /** What a job is for: V* by task, or the trained policy's fingerprint. */
  private Object left(Callable<Integer> job, Path folder) {
    RunFolder left = new RunFolder(Store.open(folder.toString()));
    return job instanceof TrainJob
        ? left.storedTrained(
                "regression", run.config().compute().engine(), EngineOptions.ONE_THREAD)
            .orElseThrow()
            .open()
            .fingerprint()
        : new VStarTable(JobContext.tables(run.spark(), left)).byTask();
  }

  private List<Path> copy(Path folder) throws IOException {
    List<Path> copies = new ArrayList<>();
    try (Stream<Path> all = Files.walk(run.folder())) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        String name = file.getFileName().toString();
        if (!name.endsWith(".crc") && !name.endsWith(".lock")) {
          Path copy = folder.resolve(run.folder().relativize(file));
          Files.createDirectories(copy.getParent());
          copies.add(Files.copy(file, copy));
        }
      }
    }
    return copies;
  }

  private static void requireWhole(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> partial =
          all.filter(file -> file.getFileName().toString().contains(".partial")).toList();
      if (!partial.isEmpty()) {
        throw new Finding("left behind: " + partial);
      }
    }
  }
}
