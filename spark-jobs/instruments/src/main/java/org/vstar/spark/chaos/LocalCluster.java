package org.vstar.spark.chaos;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.vstar.common.InvalidInputException;

/** A standalone master and two workers as processes, which can be killed. */
final class LocalCluster implements AutoCloseable {

  private static final int FULL_DISK_BYTES = 2048;

  private final Commands commands;
  private final Path folder;
  private String master;

  LocalCluster(Commands commands, Path folder) {
    this.commands = commands;
    this.folder = folder;
  }

  /** Where jobs find it. */
  String master() {
    return master;
  }

  void start() throws IOException, InterruptedException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Commands.Said said =
        commands.run(
            "cluster",
            List.of(
                "start",
                "--folder",
                folder.toString(),
                "--cores",
                "1",
                "--memory",
                "2g",
                "--port",
                String.valueOf(port)));
    if (said.code() != 0) {
      throw new InvalidInputException("submit/cluster did not start: " + said.lastLine());
    }
    master = "spark://127.0.0.1:" + port;
  }

  private List<ProcessHandle> workers() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("worker-\\d+\\.pid"))
          .sorted()
          .map(LocalCluster::process)
          .flatMap(Optional::stream)
          .toList();
    }
  }

  private static Optional<ProcessHandle> process(Path file) {
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(file).strip()));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }

  /** Kills one of the executors there are; none may be. */
  boolean killExecutor(SplittableRandom random) throws IOException {
    Optional<ProcessHandle> executor = oneExecutor(random);
    return executor.isPresent() && executor.get().destroyForcibly();
  }

  private Optional<ProcessHandle> oneExecutor(SplittableRandom random) throws IOException {
    List<ProcessHandle> executors = workers().stream().flatMap(ProcessHandle::descendants).toList();
    return executors.isEmpty()
        ? Optional.empty()
        : Optional.of(executors.get(random.nextInt(executors.size())));
  }

  /** Stops one of the executors there are, as a machine that swaps would, and lets it go on. */
  boolean holdUpExecutor(SplittableRandom random, int seconds)
      throws IOException, InterruptedException {
    Optional<ProcessHandle> executor = oneExecutor(random);
    if (executor.isEmpty()) {
      return false;
    }
    String pid = String.valueOf(executor.get().pid());
    if (!succeeds("kill", "-STOP", pid)) {
      return false;
    }
    TimeUnit.SECONDS.sleep(seconds);
    succeeds("kill", "-CONT", pid);
    return true;
  }

  /** From now on one of the executors there are can write no file of more than some bytes. */
  boolean fillDiskOfExecutor(SplittableRandom random) throws IOException, InterruptedException {
    Optional<ProcessHandle> executor = oneExecutor(random);
    return executor.isPresent()
        && succeeds(
            "prlimit", "--fsize=" + FULL_DISK_BYTES, "--pid", String.valueOf(executor.get().pid()));
  }

  private static boolean succeeds(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor() == 0;
  }

  /** Kills a worker with its executors. */
  boolean killWorker(SplittableRandom random) throws IOException {
    List<ProcessHandle> workers = workers();
    if (workers.isEmpty()) {
      return false;
    }
    ProcessHandle worker = workers.get(random.nextInt(workers.size()));
    List<ProcessHandle> executors = worker.descendants().toList();
    boolean killed = worker.destroyForcibly();
    executors.forEach(ProcessHandle::destroyForcibly);
    return killed;
  }

  void restart() throws IOException, InterruptedException {
    close();
    start();
  }

  @Override
  public void close() throws IOException {
    try {
      commands.run("cluster", List.of("stop", "--folder", folder.toString()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
