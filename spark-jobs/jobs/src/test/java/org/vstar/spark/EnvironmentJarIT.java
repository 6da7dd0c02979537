package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.Environment;
import org.vstar.spark.SubmitCommand.Said;

/** The tutorial's bandit under another name, in a jar that the jobs know only by --jars. */
class EnvironmentJarIT {

  private static final Path SOURCES = Path.of("../../env/games/src/main/java/org/vstar/env/bandit");
  private static final Path PROJECT = SubmitCommand.PROJECT;

  @TempDir Path folder;

  /** Compiles the bandit as {@code example.coin} with the kind {@code coin}, as a user would. */
  private Path jar() throws IOException {
    Path classes = Files.createDirectories(folder.resolve("classes"));
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-parameters", "-d"));
    arguments.addAll(List.of(classes.toString(), "-cp", environmentsAndJackson()));
    for (String file : List.of("Bandit.java", "BanditConfig.java")) {
      String source =
          Files.readString(SOURCES.resolve(file))
              .replace("org.vstar.env.bandit", "example.coin")
              .replace("NAME = \"bandit\"", "NAME = \"coin\"");
      arguments.add(Files.writeString(folder.resolve(file), source).toString());
    }
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(new String[0]));
    assertThat(code).as("javac").isZero();
    Path services = Files.createDirectories(classes.resolve("META-INF/services"));
    Files.writeString(
        services.resolve("org.vstar.env.EnvironmentKind"), "example.coin.BanditConfig$Kind\n");
    Path jar = folder.resolve("coin.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> all = Files.walk(classes)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(path).toString()));
        Files.copy(path, out);
      }
    }
    return jar;
  }

  /** vstar-env and what it brings, which is all that an environment compiles against. */
  private static String environmentsAndJackson() {
    return Stream.of(Environment.class, ObjectMapper.class, JsonParser.class, JsonProperty.class)
        .map(known -> known.getProtectionDomain().getCodeSource().getLocation().getPath())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private String submit(String command, String... more) throws Exception {
    Said said = SubmitCommand.said(SubmitCommand.process(PROJECT, folder, command, more), folder);
    assertThat(said.code()).as(said.errors()).isZero();
    return said.errors();
  }

  @Test
  void anEnvironmentInAJarOfItsOwnGoesThroughWarmStartValuesAndTraining() throws Exception {
    Path config = folder.resolve("coin.yaml");
    Files.writeString(
        config,
        Files.readString(PROJECT.resolve("conf/bandit.yaml"))
            .replace("include: defaults.yaml", "include: " + PROJECT + "/conf/defaults.yaml")
            .replace("kind: bandit", "kind: coin")
            .replace("rounds: 2", "rounds: 1")
            .replace("tasks: 256", "tasks: 64")
            .replace("steps: 40", "steps: 10"));
    String jar = jar().toString();
    String out = folder.resolve("run").toString();
    String[] job = {"--jars", jar, "--config", config.toString(), "--out", out};
    submit("warm-start", job);
    List<String> cluster = new ArrayList<>(List.of(job));
    cluster.addAll(List.of("--master", "local-cluster[2,1,2048]"));
    cluster.addAll(List.of("--conf", "spark.executor.extraJavaOptions=" + TestRun.SHORT));
    String values = submit("vstar", cluster.toArray(String[]::new));
    assertThat(values).contains("512 of 512 rollouts");
    submit("train", job);
    assertThat(Files.readString(folder.resolve("run/train-regression/metrics.jsonl")))
        .contains("\"stage\":\"validation\",\"step\":10");
  }
}
