package org.vstar.spark.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.console.Console;

/**
 * Waits for a driver that a standalone cluster runs. Spark's own command ends well however the
 * driver there ends, and says so if its log may.
 */
final class StandaloneDriver {

  private static final Pattern DRIVER = Pattern.compile("driver-\\d+-\\d+");
  private static final Pattern FINISHED =
      Pattern.compile("State of driver (driver-[0-9-]*) is FINISHED");

  /** What of a failed driver's last words is shown. */
  private static final int LINES = 3;

  private final Installation installation;

  StandaloneDriver(Installation installation) {
    this.installation = installation;
  }

  /** Runs the command, and ends as the driver did. */
  Plan await(List<String> command) {
    Optional<String> driver = Optional.empty();
    boolean finished = false;
    int code;
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      String options = installation.variable("SPARK_SUBMIT_OPTS").orElse("");
      builder.environment().put("SPARK_SUBMIT_OPTS", options + " " + installation.logging());
      Process process = builder.start();
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Console.err().println(line);
          Matcher named = DRIVER.matcher(line);
          if (named.find()) {
            driver = Optional.of(named.group());
          }
          finished |= FINISHED.matcher(line).find();
        }
      }
      code = process.waitFor();
      if (code != 0) {
        return new Plan.End(code, "");
      }
      if (driver.isEmpty()) {
        throw new InvalidInputException("the cluster did not take the driver");
      }
      if (finished) {
        return new Plan.End(0, said(driver.get(), "stdout"));
      }
      Console.err().print(last(said(driver.get(), "stderr")));
    } catch (IOException e) {
      throw InvalidInputException.cannot("run " + command.get(0), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Plan.End(1, "");
    }
    Console.err()
        .println(
            "error: "
                + driver.get()
                + " did not end well: what it said is in the folder "
                + driver.get()
                + " of its worker");
    return new Plan.End(1, "");
  }

  /** What a driver printed is on its worker; a cluster of {@code submit/cluster} keeps it here. */
  private String said(String driver, String stream) throws IOException {
    Path cluster = installation.project().resolve("spark-jobs/target/cluster");
    if (Files.isDirectory(cluster)) {
      try (DirectoryStream<Path> workers = Files.newDirectoryStream(cluster, "work-*")) {
        for (Path worker : workers) {
          Path file = worker.resolve(driver).resolve(stream);
          if (Files.exists(file)) {
            return Files.readString(file);
          }
        }
      }
    }
    return "";
  }

  private static String last(String text) {
    List<String> lines = text.lines().toList();
    List<String> shown = lines.subList(Math.max(0, lines.size() - LINES), lines.size());
    return shown.isEmpty() ? "" : String.join("\n", shown) + "\n";
  }
}
