package org.vstar.spark.launch;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.sql.VStarExtensions;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** How an instrument is started, on this machine: in a JVM of its own, or under a Spark. */
public final class InstrumentLaunch {

  private final Installation installation;

  InstrumentLaunch(Installation installation) {
    this.installation = installation;
  }

  /** From the jars that this process runs from. */
  public static InstrumentLaunch here() {
    return new InstrumentLaunch(Installation.of(System.getenv()));
  }

  /** The folder that has {@code submit} and {@code conf}. */
  public Path project() {
    return installation.project();
  }

  /** The command that begins a line of {@code submit}. */
  public String script(String name) {
    return installation.project().resolve("submit").resolve(name).toString();
  }

  /**
   * A class in a JVM of its own, with the instruments and other add-ons.
   *
   * @param addons what else is needed; names that no add-on has are left out: not each engine is
   *     one
   * @param words options of the JVM, the class and its arguments
   * @throws InvalidInputException if an add-on is not built
   */
  public ProcessBuilder java(Collection<String> addons, List<String> words) {
    List<String> needed = new ArrayList<>(List.of(Installation.INSTRUMENTS));
    addons.stream().filter(installation::isAddon).forEach(needed::add);
    List<String> path = new ArrayList<>();
    for (String addon : needed) {
      if (!installation.has(addon)) {
        throw new InvalidInputException(
            "add-on " + addon + " is not built: run submit/build " + addon);
      }
      // Their libraries are newer than some of Spark's neighbours'.
      path.add(installation.jars().resolve(addon) + "/*");
    }
    path.add(installation.jobs().toString());
    path.add(installation.jars().resolve("lib") + "/*");
    path.add(installation.sparkJars() + "/*");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.addAll(List.of(installation.javaOptions().split(" ")));
    command.add(
        "-Dlog4j2.configurationFile=" + installation.project().resolve("conf/log4j2.properties"));
    command.addAll(List.of("-cp", String.join(":", path)));
    command.addAll(words);
    return new ProcessBuilder(command).redirectError(Redirect.INHERIT);
  }

  /**
   * A class under a Spark of this machine.
   *
   * @param words options of Spark's, the instrument's class, and its own arguments
   */
  public ProcessBuilder spark(List<String> words) {
    Plan.Run run = (Plan.Run) plan(words);
    ProcessBuilder builder = new ProcessBuilder(run.command()).redirectError(Redirect.INHERIT);
    builder.environment().putAll(run.environment());
    return builder;
  }

  /**
   * What is to be run.
   *
   * @param arguments options of Spark's, the instrument's class, and its own arguments
   */
  Plan plan(List<String> arguments) {
    if (!installation.has(Installation.INSTRUMENTS)) {
      return new Plan.Build(List.of(Installation.INSTRUMENTS));
    }
    CommandSpec spec =
        SparkOptions.spec()
            .addPositional(
                PositionalParamSpec.builder()
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .arity("1..*")
                    .build());
    ParseResult parsed =
        new CommandLine(spec).setStopAtPositional(true).parseArgs(arguments.toArray(String[]::new));
    SparkOptions spark = SparkOptions.of(parsed);
    List<String> instrument = parsed.matchedPositional(0).stringValues();
    Submission submission = Submission.of(installation, spark);
    Path own =
        installation.addon(Installation.INSTRUMENTS).stream()
            .filter(jar -> jar.getFileName().toString().startsWith("vstar-instruments-"))
            .findFirst()
            .orElseThrow();
    List<Path> jars = new ArrayList<>(List.of(installation.jobs()));
    jars.addAll(installation.libraries());
    jars.add(own);
    List<String> words = new ArrayList<>(List.of(submission.script()));
    words.addAll(List.of("--driver-class-path", Installation.path(jars)));
    words.addAll(submission.defaults());
    words.addAll(Submission.conf("spark.sql.extensions", VStarExtensions.class.getName()));
    words.addAll(Submission.conf("spark.ui.enabled", "false"));
    words.addAll(spark.words(List.of()));
    words.addAll(List.of("--class", instrument.get(0), Installation.uri(own)));
    words.addAll(instrument.subList(1, instrument.size()));
    return new Plan.Run(submission.environment(), words);
  }
}
