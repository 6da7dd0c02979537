package org.vstar.spark.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Parallel;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.model.policy.Policy;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.Sample;
import org.vstar.spark.table.SampleFile;
import org.vstar.spark.table.SampleKey;

/**
 * Writes a run of the bandit with as many samples as one likes, made up instead of rolled out. The
 * V* job then finds nothing missing: what it takes is the checking of the samples and the
 * estimates.
 */
public final class ManySamples {

  private static final int TASKS_PER_UNIT = 8;

  private ManySamples() {}

  /** Writes a run: config, folder, tasks, samples of each. */
  public static void main(String[] args) throws IOException {
    if (args.length != 4) {
      throw new InvalidInputException("expected CONFIG DIR TASKS SAMPLES");
    }
    Path file = Path.of(args[0]);
    RunConfig config =
        new ConfigFile()
            .with(EnvironmentKind.all())
            .with(ObjectiveKind.all())
            .read(
                file,
                Map.of("environment.tasks", args[2], "vstar.samples", args[3]),
                RunConfig.class);
    HadoopRunStore store = HadoopRunStore.open(args[1]);
    Environment environment = config.environment().open(file.toAbsolutePath().getParent());
    Policy reference = UntrainedPolicy.of(config, environment);
    PolicyFiles.write(reference, store, RunFolder.REFERENCE);
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    List<Task> tasks = environment.tasks(Split.TRAIN);
    List<Runnable> units = new ArrayList<>();
    for (int from = 0; from < tasks.size(); from += TASKS_PER_UNIT) {
      List<Task> some = tasks.subList(from, Math.min(tasks.size(), from + TASKS_PER_UNIT));
      units.add(() -> write(store, some, config, fingerprints));
    }
    Parallel.run(Runtime.getRuntime().availableProcessors(), units);
    System.out.printf(
        "%d tasks with %d samples each in %s%n", tasks.size(), config.vstar().samples(), args[1]);
  }

  private static void write(
      HadoopRunStore store, List<Task> tasks, RunConfig config, Fingerprints fingerprints) {
    List<Sample> samples = new ArrayList<>();
    for (Task task : tasks) {
      IntStream.range(0, config.vstar().samples())
          .forEach(i -> samples.add(sample(new SampleKey(task.id(), i), config, fingerprints)));
    }
    try {
      SampleFile.write(store, samples, fingerprints);
    } catch (IOException e) {
      throw InvalidInputException.cannot("write samples into " + store.location(""), e);
    }
  }

  private static Sample sample(SampleKey key, RunConfig config, Fingerprints fingerprints) {
    long seed = key.seed(config.seed(), fingerprints);
    double episodeReturn = new SplittableRandom(seed).nextDouble();
    return new Sample(
        key.taskId(),
        key.sampleIndex(),
        seed,
        episodeReturn,
        episodeReturn > 0.5,
        1,
        2,
        "done",
        List.of("dragon"),
        -1,
        Map.of(),
        1);
  }
}
