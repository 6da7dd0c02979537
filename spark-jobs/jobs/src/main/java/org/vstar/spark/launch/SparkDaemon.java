package org.vstar.spark.launch;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.vstar.common.InvalidInputException;

/**
 * Processes of Spark's own that outlive the command that starts them.
 *
 * @param folder where they run
 */
record SparkDaemon(Installation installation, Path folder) {

  private static final String PACKAGE = "org.apache.spark.deploy";

  /** Spark's launcher prints this between what a JVM may say first and the command. */
  private static final String BEGINNING = "\0\n";

  private static final String JAVA_OPTIONS = "SPARK_DAEMON_JAVA_OPTS";

  /** Whether a process is one of these. */
  static boolean isOne(ProcessHandle process) {
    ProcessHandle.Info info = process.info();
    return info.arguments()
        .map(arguments -> Arrays.stream(arguments).anyMatch(word -> word.startsWith(PACKAGE)))
        .orElseGet(() -> info.commandLine().orElse("").contains(PACKAGE));
  }

  /**
   * Starts one.
   *
   * @param arguments its class and its arguments
   * @param log where its output goes
   * @return the number of the process
   */
  long start(List<String> arguments, Path log) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("nohup"));
    command.addAll(resolved(arguments));
    Process process =
        builder(command)
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    mark(process.pid());
    return process.pid();
  }

  private ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("SPARK_HOME", installation.sparkJars().getParent().toString());
    environment.put("SPARK_SCALA_VERSION", "2.12");
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    environment.put("SPARK_DAEMON_MEMORY", "512m");
    environment.putIfAbsent("SPARK_CONF_DIR", installation.project().resolve("conf").toString());
    // Spark's own messages, which say who has registered; ours are few.
    environment.merge(
        JAVA_OPTIONS,
        "-Dlog4j2.configurationFile=org/apache/spark/log4j2-defaults.properties",
        (own, logging) -> own + " " + logging);
    return builder;
  }

  /** The command that Spark's own spark-class would run. */
  private List<String> resolved(List<String> arguments) throws IOException, InterruptedException {
    List<String> launcher =
        new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
    launcher.addAll(List.of("-Xmx128m", "-cp", installation.sparkJars() + "/*"));
    launcher.add("org.apache.spark.launcher.Main");
    launcher.addAll(arguments);
    Process process = builder(launcher).redirectError(Redirect.INHERIT).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int start = text.indexOf(BEGINNING);
    if (process.waitFor() != 0 || start < 0) {
      throw new InvalidInputException("Spark's launcher does not say how to start " + arguments);
    }
    return List.of(text.substring(start + BEGINNING.length()).split("\0"));
  }

  /** A build leaves jars alone that a process uses. */
  private void mark(long pid) throws IOException, InterruptedException {
    Process uname = new ProcessBuilder("uname", "-n").start();
    String host = new String(uname.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    uname.waitFor();
    Path marks = installation.jars().resolve("in-use");
    if (Files.isWritable(marks)) {
      Files.write(marks.resolve(host + ":" + pid), new byte[0]);
    }
  }
}
