package org.vstar.spark;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.vstar.model.PythonEnvironment;

/** Runs the commands of {@code submit}, as a user types them. */
final class SubmitCommand {

  static final Path PROJECT = Path.of("../..").toAbsolutePath().normalize();

  private static final Path REQUIREMENTS = Path.of("src/test/python");

  private SubmitCommand() {}

  /** What a command said, and how it ended. */
  record Said(int code, String output, String errors) {
    /** The lines of the error stream, less the JVM's own. */
    List<String> log() {
      return errors.lines().filter(line -> !line.startsWith("WARNING: Using incubator")).toList();
    }
  }

  /**
   * Leaves a test out where there is no npm, which the build fetches the renderer of chat templates
   * with; {@code VSTAR_NPM=required} does not.
   */
  static void assumeNpm() {
    assumeTrue(
        "required".equals(System.getenv("VSTAR_NPM"))
            || Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "npm"))),
        "npm is missing");
  }

  /**
   * The folder of Qwen3's tokenizer and chat template, in {@code -Dtokenizers} or beside the
   * project; a test is left out where there is none.
   */
  static Path qwenTokenizer() {
    String named = System.getProperty("tokenizers");
    Path all = named == null ? PROJECT.resolveSibling("shared/tokenizers") : Path.of(named);
    assumeTrue(named != null || Files.isDirectory(all), "no tokenizers");
    return all.resolve("qwen3");
  }

  /** A command that is not yet started, in a folder that it may write to. */
  static ProcessBuilder process(Path project, Path folder, String command, String... arguments) {
    List<String> line = new ArrayList<>(List.of(project.resolve("submit/" + command).toString()));
    line.addAll(Arrays.asList(arguments));
    ProcessBuilder process = new ProcessBuilder(line).directory(folder.toFile());
    // The Spark that the build laid out is what the scripts use when no other is named.
    process.environment().keySet().removeAll(List.of("SPARK_HOME", "SPARK_CONF_DIR"));
    if (TestRun.SPARK4) {
      process.environment().put("SPARK_HOME", spark4().toString());
    }
    process.environment().put("SPARK_SUBMIT_OPTS", TestRun.SHORT);
    return process;
  }

  /**
   * What users of Python have, with a PySpark of the version that this build is for. What a build
   * lays out of a Spark 4 has neither its shell of SQL nor its Thrift server.
   */
  static PythonEnvironment python() throws IOException, InterruptedException {
    PythonEnvironment python = PythonEnvironment.of(REQUIREMENTS.resolve("requirements.txt"));
    return TestRun.SPARK4 ? python.with(REQUIREMENTS.resolve("spark4.txt")) : python;
  }

  private static Path spark4() {
    try {
      return python().packageFolder("pyspark");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Starts it and waits for its end; what it says goes to files of a folder. */
  static Said said(ProcessBuilder process, Path folder) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Path errors = Files.createTempFile(folder, "errors", ".txt");
    int code =
        process.redirectOutput(output.toFile()).redirectError(errors.toFile()).start().waitFor();
    return new Said(code, Files.readString(output), Files.readString(errors));
  }
}
