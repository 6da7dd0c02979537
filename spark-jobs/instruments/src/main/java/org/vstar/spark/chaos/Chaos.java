package org.vstar.spark.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Kills drivers, executors and workers of small jobs at random moments. */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Kills (kill -9) drivers, executors and workers of small jobs at random moments, suspends an executor, or makes its disk writes fail. It then resumes "
            + "the jobs and compares samples, V*, weights and metrics with those of "
            + "an undisturbed run. A difference is a finding; the exit code is then "
            + "1.")
public final class Chaos implements Callable<Integer> {

  private static final int PATIENCE_SECONDS = 300;
  private static final int INPUT_ERROR = 2;
  private static final int KILLED = 137;
  private static final int MOST_HELD_UP_SECONDS = 8;
  private static final int MOST_OF_A_RUN = 3;
  private static final int LOOK_MILLIS = 100;

  @Option(names = "--times", defaultValue = "20", description = "how many kills (default: 20)")
  private int times;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "of what is killed and when (default: 1)")
  private long seed;

  @Option(
      names = "--root",
      paramLabel = "DIR",
      required = true,
      description = "a new folder for runs: a path or a URI; of several, each has some")
  private List<String> roots;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "a setting of Spark's, for example the store's; repeatable")
  private Map<String, String> spark = new LinkedHashMap<>();

  @Option(names = "--project", paramLabel = "DIR", defaultValue = ".", hidden = true)
  private Path project;

  private Commands commands;
  private List<SmallJobs> jobs;
  private LocalCluster cluster;
  private SplittableRandom random;
  private int faults;

  /** What is done to a job. */
  private enum Fault {
    DRIVER_KILLED,
    EXECUTOR_KILLED,
    WORKER_KILLED,
    EXECUTOR_HELD_UP,
    EXECUTOR_DISK_FULL
  }

  /** As often as they stand here. A driver's death is what a run has to be resumed after. */
  private static final List<Fault> FAULTS =
      List.of(
          Fault.DRIVER_KILLED,
          Fault.DRIVER_KILLED,
          Fault.EXECUTOR_KILLED,
          Fault.WORKER_KILLED,
          Fault.EXECUTOR_HELD_UP,
          Fault.EXECUTOR_DISK_FULL);

  /**
   * How long a stage takes where nothing befalls it.
   *
   * @param beforeWork seconds until it has begun to work
   * @param work seconds from there to its end
   */
  private record Usual(double beforeWork, double work) {}

  /** A run on its way. */
  private record Run(SmallJobs jobs, String name) {}

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Chaos(), args);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    spark.forEach(System::setProperty);
    random = new SplittableRandom(seed);
    Path scratch = Files.createTempDirectory("vstar-chaos-");
    commands = new Commands(project.resolve("submit"), scratch);
    Path config = project.resolve("conf/bandit.yaml").toAbsolutePath();
    jobs = roots.stream().map(root -> new SmallJobs(config, root, spark)).toList();
    for (SmallJobs on : jobs) {
      if (!on.store("").list("").isEmpty()) {
        throw new InvalidInputException(
            "--root is '" + on.place() + "', and something is there already");
      }
    }
    cluster = new LocalCluster(commands, scratch.resolve("cluster"));
    cluster.start();
    try {
      return disturb();
    } finally {
      cluster.close();
    }
  }

  private int disturb() throws IOException, InterruptedException {
    Run undisturbed = new Run(jobs.get(0), "undisturbed");
    Map<String, Usual> usual = new LinkedHashMap<>();
    warmStart(undisturbed);
    for (String stage : SmallJobs.STAGES) {
      usual.put(stage, measure(undisturbed, stage));
    }
    SortedMap<String, String> expected = undisturbed.jobs.results(undisturbed.name);
    for (int number = 1; faults < times; number++) {
      Run run = new Run(jobs.get((number - 1) % jobs.size()), "disturbed-" + number);
      // Every run starts with the same reference policy.
      undisturbed.jobs.copyReference(undisturbed.name, run.jobs.store(run.name));
      int until = Math.min(times, faults + MOST_OF_A_RUN);
      for (String stage : SmallJobs.STAGES) {
        while (!ends(run, stage, usual.get(stage), until)) {
          TimeUnit.SECONDS.sleep(1);
        }
      }
      String where = run.jobs.place() + "/" + run.name;
      List<String> different = different(expected, run.jobs.results(run.name));
      if (!different.isEmpty()) {
        System.out.println("finding: " + where + " differs in " + different);
        return 1;
      }
      System.out.println(where + " is as if nothing had happened");
    }
    return 0;
  }

  private Usual measure(Run run, String stage) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Commands.Running job = start(run, stage);
    awaitWork(job);
    long working = System.nanoTime();
    Commands.Said said = await(job);
    if (said.code() != 0) {
      throw new InvalidInputException("submit/" + stage + " failed: " + said.lastLine());
    }
    return new Usual((working - start) / 1e9, (System.nanoTime() - working) / 1e9);
  }

  private static List<String> different(
      SortedMap<String, String> expected, SortedMap<String, String> found) {
    return expected.keySet().stream()
        .filter(what -> !expected.get(what).equals(found.get(what)))
        .toList();
  }

  private void warmStart(Run run) throws IOException, InterruptedException {
    Commands.Said said =
        commands.run("warm-start", run.jobs.arguments("warm-start", run.name, "local[1]"));
    if (said.code() != 0) {
      throw new InvalidInputException("submit/warm-start failed: " + said.lastLine());
    }
  }

  private static boolean isHeld(Commands.Said said) {
    return said.code() == INPUT_ERROR && said.lastLine().contains("is being written by");
  }

  private Commands.Running start(Run run, String stage) throws IOException {
    return commands.start(stage, run.jobs.arguments(stage, run.name, cluster.master()));
  }

  private static Commands.Said await(Commands.Running job)
      throws IOException, InterruptedException {
    if (!job.process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw hangs(job);
    }
    return job.await();
  }

  private static InvalidInputException hangs(Commands.Running job) {
    job.process().destroyForcibly();
    return new InvalidInputException("a job hung for " + PATIENCE_SECONDS + " s: " + job.errors());
  }

  /** Whether there was what the fault befalls. */
  private boolean befall(Fault fault, Process driver) throws IOException, InterruptedException {
    return switch (fault) {
      case DRIVER_KILLED -> driver.toHandle().destroyForcibly();
      case EXECUTOR_KILLED -> cluster.killExecutor(random);
      case WORKER_KILLED -> cluster.killWorker(random);
      case EXECUTOR_HELD_UP ->
          cluster.holdUpExecutor(random, 1 + random.nextInt(MOST_HELD_UP_SECONDS));
      case EXECUTOR_DISK_FULL -> cluster.fillDiskOfExecutor(random);
    };
  }

  /**
   * Starts a stage and lets faults befall it, until there have been enough or it is over.
   *
   * @param until how many have befallen all runs when it is enough
   * @return whether it came to its end all the same
   */
  private boolean ends(Run run, String stage, Usual usual, int until)
      throws IOException, InterruptedException {
    Commands.Running job = start(run, stage);
    int before = faults;
    boolean workerKilled = false;
    // Now and then before it has begun to work.
    boolean over = random.nextInt(6) == 0 ? isOver(job, usual.beforeWork) : awaitWork(job);
    while (!over && faults < until) {
      over = isOver(job, usual.work / 2);
      Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
      if (over || workerKilled && fault == Fault.WORKER_KILLED || !befall(fault, job.process())) {
        continue;
      }
      workerKilled |= fault == Fault.WORKER_KILLED;
      faults++;
      String what = fault.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      System.out.printf(Locale.ROOT, "%d of %d: %s, %s/%s%n", faults, times, what, run.name, stage);
      over |= fault == Fault.DRIVER_KILLED;
    }
    Commands.Said said = await(job);
    if (workerKilled) {
      cluster.restart();
    }
    if (said.code() == KILLED) {
      TimeUnit.SECONDS.sleep(run.jobs.store(run.name).orphanedLockSeconds());
    } else if (said.code() != 0 && !isHeld(said)) {
      System.out.println("submit/" + stage + " ended: " + said.lastLine());
      if (!said.lastLine().startsWith("error: ") || faults == before) {
        throw new InvalidInputException("submit/" + stage + " failed: " + job.errors());
      }
    }
    return said.code() == 0;
  }

  /** Waits for a random part of some seconds; whether the job is over then. */
  private boolean isOver(Commands.Running job, double seconds) throws InterruptedException {
    long millis = (long) (1000 * seconds * random.nextDouble());
    return job.process().waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /** Waits until a job has begun to work; whether it is over by then. */
  private static boolean awaitWork(Commands.Running job) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!job.process().waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      if (job.isWorking()) {
        return false;
      }
      if (System.nanoTime() - end > 0) {
        throw hangs(job);
      }
    }
    return true;
  }
}
