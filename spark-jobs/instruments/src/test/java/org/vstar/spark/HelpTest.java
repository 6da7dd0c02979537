package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@code --help} neither builds nor starts a JVM. */
class HelpTest {

  private static final Path SUBMIT = Path.of("../../submit").toAbsolutePath().normalize();

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
            "dist",
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
    List<String> command = new ArrayList<>(List.of(SUBMIT.resolve(script).toString()));
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
