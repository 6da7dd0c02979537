package org.vstar.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * A virtual environment of Python with pinned packages, which is made once and kept: in {@code
 * -Dinterop.venv=DIR}, else in {@code target/interop} of the project. Tests that need one are left
 * out, with a line, where there is no Python 3 or {@code VSTAR_INTEROP=off}; {@code
 * VSTAR_INTEROP=required} makes that an error.
 */
public final class PythonEnvironment {

  private static final String WANTED = System.getenv("VSTAR_INTEROP");
  private static final boolean REQUIRED = "required".equals(WANTED);

  private final Path python;
  private final String path;

  private PythonEnvironment(Path python, String path) {
    this.python = python;
    this.path = path;
  }

  /**
   * The environment of a file of requirements.
   *
   * @param requirements as pip reads them, with exact versions
   */
  public static PythonEnvironment of(Path requirements) throws IOException, InterruptedException {
    Path folder = folder(List.of(requirements.toString()));
    return new PythonEnvironment(folder.resolve("bin/python"), "");
  }

  /** The same with packages, without what they require, that hide those of the same name. */
  public PythonEnvironment with(Path requirements) throws IOException, InterruptedException {
    Path folder = folder(List.of(requirements.toString(), python.toString()));
    return new PythonEnvironment(python, path.isEmpty() ? "" + folder : folder + ":" + path);
  }

  /** The interpreter. */
  public Path python() {
    return python;
  }

  /** Where a package is, which is not imported. */
  public Path packageFolder(String name) throws IOException, InterruptedException {
    String place = "find_spec('" + name + "').submodule_search_locations[0]";
    return Path.of(run("-c", "from importlib.util import find_spec; print(" + place + ")").strip());
  }

  /** A script of {@code src/test/python} of the module under test, or a module. Not yet started. */
  public ProcessBuilder process(String... words) {
    List<String> command = new ArrayList<>(List.of(python.toString()));
    command.addAll(Arrays.asList(words));
    ProcessBuilder process = new ProcessBuilder(command);
    process.environment().put("PYTHONPATH", path);
    // A session of PySpark has a Spark of its own.
    process.environment().keySet().removeAll(List.of("SPARK_HOME", "SPARK_CONF_DIR"));
    process.environment().put("HF_HUB_OFFLINE", "1");
    process.environment().put("TRANSFORMERS_VERBOSITY", "error");
    return process;
  }

  /** Runs it; what it prints is its verdict. */
  public String run(String... words) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("python-", ".err");
    try {
      Process process = process(words).redirectError(errors.toFile()).start();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor())
          .as("%s: %s", Arrays.toString(words), Files.readString(errors))
          .isZero();
      return printed;
    } finally {
      Files.delete(errors);
    }
  }

  /** Where an environment is, which is made if it is not there. */
  private static Path folder(List<String> arguments) throws IOException, InterruptedException {
    if ("off".equals(WANTED)) {
      return none("VSTAR_INTEROP is off");
    }
    String named = System.getProperty("interop.venv");
    Path root = named == null ? root().resolve("target/interop") : Path.of(named);
    announce(Path.of(arguments.get(0)), root);
    List<String> command = new ArrayList<>(List.of("python3"));
    command.add(root().resolve("model/core/src/test/python/environment.py").toString());
    command.add(root.toAbsolutePath().toString());
    command.addAll(arguments);
    Path errors = Files.createTempFile("environment-", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() == 0) {
        return Path.of(printed.strip());
      }
      return none(String.join(" ", command) + ": " + Files.readString(errors));
    } catch (IOException e) {
      return none("there is no python3: " + e.getMessage());
    } finally {
      Files.delete(errors);
    }
  }

  /** Packages of gigabytes should not come without a line. */
  private static void announce(Path requirements, Path root) throws IOException {
    CRC32 checksum = new CRC32();
    checksum.update(Files.readAllBytes(requirements));
    String stem = requirements.getFileName().toString().replaceFirst("\\.txt$", "");
    String name = String.format(Locale.ROOT, "%s-%08x", stem, checksum.getValue());
    if (!Files.exists(root.resolve(name).resolve("complete"))) {
      System.err.printf(
          "pip installs %s into %s, once; VSTAR_INTEROP=off leaves out the tests that need it%n",
          requirements, root);
    }
  }

  private static Path none(String reason) {
    assertThat(REQUIRED).as(reason).isFalse();
    System.err.println("left out, without what Python needs: " + reason);
    assumeTrue(false, reason);
    throw new IllegalStateException(reason);
  }

  /** The project's folder, from that of any of its modules. */
  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve("submit"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
