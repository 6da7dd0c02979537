package org.vstar.spark.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.vstar.common.AtomicFiles;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** A standalone master and its workers as processes of this machine, on loopback. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "A Spark cluster on this machine: a standalone master and workers as processes, on loopback,"
          + " from the Spark that jobs use.",
      "Jobs run on it with --master spark://127.0.0.1:7077. What SPARK_DAEMON_JAVA_OPTS says holds"
          + " for master and workers."
    })
public final class StandaloneCluster implements Callable<Integer> {

  private static final String MASTER = "master";
  private static final String WORKER = "worker-";
  private static final String PID = ".pid";
  private static final String LOG = ".log";

  /** What a folder of a cluster has, and no other. */
  private static final String URL = "url";

  private final Installation installation;

  @Spec private CommandSpec spec;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      description =
          "where logs and what workers write are; another folder, another cluster (default:"
              + " spark-jobs/target/cluster)")
  private Path chosen;

  StandaloneCluster(Installation installation) {
    this.installation = installation;
  }

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new StandaloneCluster(Installation.of(System.getenv())), args);
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "expected start, status or stop");
  }

  /** How many processes, and how large. */
  static final class Size {

    @Option(
        names = "--workers",
        paramLabel = "N",
        defaultValue = "2",
        description = "how many workers (default: ${DEFAULT-VALUE})")
    private int workers;

    @Option(
        names = "--cores",
        paramLabel = "N",
        description = "cores of a worker (default: this machine's, shared among them)")
    private Integer cores;

    @Option(
        names = "--memory",
        paramLabel = "SIZE",
        defaultValue = "2g",
        description = "memory of a worker (default: ${DEFAULT-VALUE})")
    private String memory;

    @Option(
        names = "--port",
        paramLabel = "N",
        defaultValue = "7077",
        description = "the master's (default: ${DEFAULT-VALUE})")
    private int port;

    private void check() {
      require(workers >= 1 && workers <= 99, "--workers", workers, "1 to 99");
      if (cores == null) {
        cores = (Runtime.getRuntime().availableProcessors() + workers - 1) / workers;
      }
      require(cores >= 1 && cores <= 999, "--cores", cores, "1 to 999");
      require(memory.matches("[1-9][0-9]*[mgMG]"), "--memory", memory, "a size such as 2g");
      require(port >= 1000 && port <= 65535, "--port", port, "1000 to 65535");
    }

    private static void require(boolean holds, String option, Object value, String expected) {
      if (!holds) {
        throw new InvalidInputException(option + " is '" + value + "', expected " + expected);
      }
    }

    private String url() {
      return "spark://127.0.0.1:" + port;
    }
  }

  @Command(name = "start", sortOptions = false, description = "Starts master and workers.")
  int start(@Mixin Size size) throws IOException, InterruptedException {
    size.check();
    Path folder = folder();
    if (alive(folder, MASTER).isPresent()) {
      throw new InvalidInputException("a cluster runs already: submit/cluster status");
    }
    if (!Files.exists(folder.resolve(URL)) && holdsAnything(folder)) {
      throw new InvalidInputException(
          "--folder is '" + folder + "', and there is something else in it");
    }
    stop(folder);
    Files.createDirectories(folder);
    clear(folder);
    Files.writeString(folder.resolve(URL), size.url() + "\n");
    try {
      startAll(folder, size);
    } catch (InvalidInputException e) {
      stop(folder);
      throw e;
    }
    Console.out()
        .printf(
            Locale.ROOT,
            "%s with %d workers of %d cores and %s%nlogs: %s%n",
            size.url(),
            size.workers,
            size.cores,
            size.memory,
            folder);
    return 0;
  }

  private void startAll(Path folder, Size size) throws IOException, InterruptedException {
    SparkDaemon daemons = new SparkDaemon(installation, folder);
    List<String> on = List.of("--host", "127.0.0.1", "--webui-port", "0", "--port");
    List<String> master = new ArrayList<>(List.of("org.apache.spark.deploy.master.Master"));
    master.addAll(on);
    master.add(String.valueOf(size.port));
    start(daemons, folder, MASTER, master);
    await(folder, MASTER, "I have been elected leader");
    for (int i = 1; i <= size.workers; i++) {
      List<String> worker = new ArrayList<>(List.of("org.apache.spark.deploy.worker.Worker"));
      worker.addAll(on);
      worker.addAll(List.of("0", "--cores", String.valueOf(size.cores), "--memory", size.memory));
      worker.addAll(List.of("--work-dir", folder.resolve("work-" + i).toString(), size.url()));
      start(daemons, folder, WORKER + i, worker);
    }
    for (int i = 1; i <= size.workers; i++) {
      await(folder, WORKER + i, "Successfully registered with master");
    }
  }

  private static void start(SparkDaemon daemons, Path folder, String name, List<String> arguments)
      throws IOException, InterruptedException {
    long pid = daemons.start(arguments, folder.resolve(name + LOG));
    Files.writeString(folder.resolve(name + PID), pid + "\n");
  }

  /** Waits until a process has said that it is ready. */
  private static void await(Path folder, String name, String sentence)
      throws IOException, InterruptedException {
    Path log = folder.resolve(name + LOG);
    for (int i = 0; i < 150; i++) {
      if (Files.readString(log).contains(sentence)) {
        return;
      }
      if (alive(folder, name).isEmpty()) {
        break;
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
    List<String> lines = Files.readAllLines(log);
    lines.subList(Math.max(0, lines.size() - 5), lines.size()).forEach(Console.err()::println);
    throw new InvalidInputException("the " + name + " did not start, its last words are above");
  }

  @Command(name = "status", description = "Says where it is, and how many workers it has.")
  int status() throws IOException {
    Path folder = folder();
    if (alive(folder, MASTER).isEmpty()) {
      throw new InvalidInputException("no cluster runs: submit/cluster start starts one");
    }
    long workers =
        names(folder).stream()
            .filter(n -> n.startsWith(WORKER) && alive(folder, n).isPresent())
            .count();
    String url = Files.readString(folder.resolve(URL)).strip();
    Console.out().printf(Locale.ROOT, "%s with %d workers%n", url, workers);
    return 0;
  }

  @Command(name = "stop", description = "Stops master and workers.")
  int stop() throws IOException, InterruptedException {
    Console.out().printf(Locale.ROOT, "stopped %d processes%n", stop(folder()));
    return 0;
  }

  private static int stop(Path folder) throws IOException, InterruptedException {
    List<ProcessHandle> processes = new ArrayList<>();
    // Workers first: a master that goes makes them look for another.
    List<String> names = names(folder);
    names.remove(MASTER);
    names.add(MASTER);
    names.forEach(name -> alive(folder, name).ifPresent(processes::add));
    processes.forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    for (ProcessHandle process : processes) {
      while (process.isAlive() && System.nanoTime() < end) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      process.destroyForcibly();
    }
    for (String name : names) {
      Files.deleteIfExists(folder.resolve(name + PID));
    }
    return processes.size();
  }

  private Path folder() {
    return (chosen == null ? installation.project().resolve("spark-jobs/target/cluster") : chosen)
        .toAbsolutePath()
        .normalize();
  }

  private static boolean holdsAnything(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isPresent();
    }
  }

  /** Logs and working folders of an earlier cluster. */
  private static void clear(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.matches("work-\\d+|(worker-\\d+|master)\\.log")) {
          AtomicFiles.delete(file);
        }
      }
    }
  }

  /** The processes that have been started there, alive or not. */
  private static List<String> names(Path folder) throws IOException {
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.matches("(worker-\\d+|master)\\.pid"))
            .sorted()
            .forEach(name -> names.add(name.substring(0, name.length() - PID.length())));
      }
    }
    return names;
  }

  /** A process that is there and is one of Spark's: numbers come back after a restart. */
  private static Optional<ProcessHandle> alive(Path folder, String name) {
    Path file = folder.resolve(name + PID);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
          .filter(ProcessHandle::isAlive)
          .filter(SparkDaemon::isOne);
    } catch (NumberFormatException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }
}
