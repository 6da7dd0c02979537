package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.vstar.spark.chaos.Chaos;
import org.vstar.spark.cli.Compare;
import org.vstar.spark.cli.Datasets;
import org.vstar.spark.cli.Play;
import org.vstar.spark.cli.PolicyTool;
import org.vstar.spark.cli.Runs;
import org.vstar.spark.cli.Shop;
import org.vstar.spark.docs.Docs;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.fuzz.Fuzz;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.HeadroomJob;
import org.vstar.spark.value.RescoreJob;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The files that {@code submit/NAME --help} shows, so that help neither builds nor starts a JVM.
 */
class HelpTest {

  private static final Path SUBMIT = Path.of("../../submit").toAbsolutePath().normalize();

  private static final List<Callable<Integer>> COMMANDS =
      List.of(
          new WarmStartJob(),
          new VStarJob(),
          new RescoreJob(),
          new HeadroomJob(),
          new Runs(),
          new Compare(System.out),
          new TrainJob(),
          new EvaluateJob(),
          new Play(),
          new Shop(),
          new Datasets(),
          new PolicyTool(System.out),
          new Docs(),
          new Fuzz(),
          new Chaos());

  /** {@code -Dhelp=write} writes them. */
  @Test
  void helpFilesAreWhatTheCommandsSayOfThemselves() throws IOException {
    for (Callable<Integer> command : COMMANDS) {
      CommandLine line = JobContext.commandLine(command);
      String name = line.getCommandName().substring("submit/".length());
      Path file = SUBMIT.resolve("help/" + name + ".txt");
      StringBuilder help = new StringBuilder(line.getUsageMessage(Ansi.OFF));
      for (CommandLine own : line.getSubcommands().values()) {
        help.append('\n').append(own.getUsageMessage(Ansi.OFF));
      }
      if ("write".equals(System.getProperty("help"))) {
        Files.createDirectories(file.getParent());
        Files.writeString(file, help.toString());
      }
      assertThat(file).hasContent(help.toString());
    }
  }

  @Test
  void everyScriptAnswersHelpAndVersionWithoutAJavaOrABuild() throws Exception {
    List<String> scripts =
        List.of(
            "bench",
            "build",
            "chaos",
            "cluster",
            "compare",
            "datasets",
            "docs",
            "evaluate",
            "fuzz",
            "play",
            "policy",
            "quickstart",
            "rescore",
            "runs",
            "shop",
            "soak",
            "thrift");
    for (String script : scripts) {
      assertThat(said(script, "--help")).as(script).hasSizeGreaterThan(40);
      assertThat(said(script, "--version")).as(script).matches("Vstar [0-9.]+(-SNAPSHOT)?\n");
    }
    for (String script : List.of("sql", "train", "vstar", "warm-start")) {
      assertThat(said(script, "--out", "x", "--help")).as(script).hasSizeGreaterThan(40);
    }
  }

  private static String said(String script, String... arguments) throws Exception {
    List<String> command = new java.util.ArrayList<>(List.of(SUBMIT.resolve(script).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().put("JAVA_HOME", "/nowhere");
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(script).isZero();
    return said;
  }
}
