package org.vstar.spark.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.vstar.spark.sql.VStarExtensions;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** How an instrument that needs a Spark is started, on this machine. */
final class InstrumentLaunch {

  private final Installation installation;

  InstrumentLaunch(Installation installation) {
    this.installation = installation;
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
