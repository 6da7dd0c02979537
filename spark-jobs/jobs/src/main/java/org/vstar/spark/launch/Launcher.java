package org.vstar.spark.launch;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.ErrorLine;
import picocli.CommandLine.ParameterException;

/**
 * Understands what a person typed before a Spark is started, and says what is to be run. The
 * scripts of {@code submit} start it, and replace themselves by that command: so a signal to a
 * command reaches its driver.
 */
public final class Launcher {

  private final Installation installation;

  Launcher(Installation installation) {
    this.installation = installation;
  }

  /**
   * Prints what the script does next, each word with a NUL behind it.
   *
   * @param args the command's name and its arguments; {@code sql} and {@code thrift} have the
   *     folder for what they leave between them, an instrument Spark's options and its class
   */
  public static void main(String[] args) {
    // Paths that a library prints must not be taken for the plan.
    PrintStream plan = System.out;
    System.setOut(System.err);
    ErrorLine error;
    try {
      Launcher launcher = new Launcher(Installation.of(System.getenv()));
      Plan made = launcher.plan(Arrays.asList(args));
      if (made instanceof Plan.Run run) {
        run.note().ifPresent(System.err::println);
      }
      List<String> words = made.words();
      plan.write((String.join("\0", words) + "\0").getBytes(StandardCharsets.UTF_8));
      plan.flush();
      return;
    } catch (ParameterException e) {
      error = ErrorLine.misunderstood(e);
    } catch (Exception e) {
      error = ErrorLine.of(e);
    }
    System.err.println(error.text());
    System.exit(error.exitCode());
  }

  /**
   * What is to be run.
   *
   * @throws ParameterException if an option is unknown or lacks its value
   * @throws InvalidInputException if a value is wrong
   */
  Plan plan(List<String> words) {
    String command = words.get(0);
    List<String> arguments = words.subList(1, words.size());
    if (JobLaunch.JOBS.containsKey(command)) {
      return new JobLaunch(installation, command, arguments).plan();
    }
    if (command.equals("instrument")) {
      return new InstrumentLaunch(installation).plan(arguments);
    }
    Path scratch = Path.of(arguments.get(0));
    List<String> rest = arguments.subList(1, arguments.size());
    return switch (command) {
      case "sql" -> new SqlLaunch(installation, scratch).plan(rest);
      case "thrift" -> new ThriftLaunch(installation, scratch).plan(rest);
      default -> throw new InvalidInputException("there is no command '" + command + "'");
    };
  }
}
