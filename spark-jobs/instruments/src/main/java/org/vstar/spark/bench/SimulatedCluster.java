package org.vstar.spark.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.launch.InstrumentLaunch;

/**
 * The V* job on simulated cores: a call of the policy takes time and computes nothing, so that what
 * is measured is the job.
 *
 * @param config of the tasks
 * @param folder the run's, which has a reference policy
 */
record SimulatedCluster(InstrumentLaunch launch, Path config, Path folder) {

  private static final Pattern ROLLOUTS = Pattern.compile(" (\\d+) of (\\d+) rollouts,");

  /** The job is killed once it has this share of its rollouts. */
  private static final double KILLED_AT = 0.5;

  void run(int tasks, int samples) throws IOException, InterruptedException {
    List<String> line = command(tasks, samples);
    watch(line, KILLED_AT);
    line.add("--resume");
    watch(line, Double.POSITIVE_INFINITY);
    Path tables = folder.resolve("tables");
    System.out.printf(
        Locale.ROOT,
        "files: %d of units, %d for readers, %d manifests; %d MB%n",
        files(tables.resolve("_log/samples/units"), Integer.MAX_VALUE, SimulatedCluster::isParquet)
            .size(),
        files(tables.resolve("samples"), 1, SimulatedCluster::isParquet).size(),
        files(tables.resolve("_log/samples/manifests"), Integer.MAX_VALUE, file -> true).size(),
        megabytes(tables));
  }

  private List<String> command(int tasks, int samples) {
    String seconds = System.getenv().getOrDefault("SECONDS_A_CALL", "0.02+0.0001");
    List<String> line = new ArrayList<>(List.of(launch.script("vstar")));
    line.addAll(List.of("--config", config.toString(), "--out", folder.toString()));
    line.addAll(List.of("--add-ons", "instruments", "--set", "engine=simulated"));
    line.addAll(
        List.of("--set", "environment.tasks=" + tasks, "--set", "vstar.samples=" + samples));
    line.addAll(List.of("--master", "local-cluster[2,50,3072]"));
    line.addAll(List.of("--driver-memory", "2g", "--executor-memory", "3g"));
    line.addAll(List.of("--conf", "spark.extraListeners=" + JobWatch.class.getName()));
    line.addAll(
        List.of("--conf", "spark.executor.extraJavaOptions=-Dvstar.simulated.seconds=" + seconds));
    return line;
  }

  /** Prints the lines that tell how the job went; kills it with its executors at a share. */
  private static void watch(List<String> line, double share)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process job = new ProcessBuilder(line).redirectErrorStream(true).start();
    try (BufferedReader lines = job.inputReader(StandardCharsets.UTF_8)) {
      String said;
      while ((said = lines.readLine()) != null) {
        Matcher rollouts = ROLLOUTS.matcher(said);
        if (rollouts.find()) {
          long done = Long.parseLong(rollouts.group(1));
          long all = Long.parseLong(rollouts.group(2));
          if (done >= share * all) {
            List<ProcessHandle> executors = job.descendants().toList();
            job.destroyForcibly();
            executors.forEach(ProcessHandle::destroyForcibly);
            System.out.printf(
                Locale.ROOT,
                "killed after %d s, at %d of %d rollouts%n",
                seconds(start),
                done,
                all);
            job.waitFor();
            return;
          }
        } else if (said.startsWith("stage ") || said.startsWith("driver's heap")) {
          System.out.println(said);
        } else if (said.startsWith("error:")) {
          throw new InvalidInputException(said.substring("error:".length()).strip());
        }
      }
    }
    System.out.printf(Locale.ROOT, "ended after %d s%n", seconds(start));
  }

  private static long seconds(long start) {
    return (System.nanoTime() - start) / 1_000_000_000;
  }

  private static boolean isParquet(Path file) {
    return file.toString().endsWith(".parquet");
  }

  private static List<Path> files(Path folder, int depth, Predicate<Path> wanted)
      throws IOException {
    try (Stream<Path> files = Files.walk(folder, depth)) {
      return files.filter(Files::isRegularFile).filter(wanted).toList();
    }
  }

  private static long megabytes(Path folder) throws IOException {
    long bytes = 0;
    for (Path file : files(folder, Integer.MAX_VALUE, any -> true)) {
      bytes += Files.size(file);
    }
    return bytes >> 20;
  }
}
