package org.vstar.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * A virtual environment of Python with pinned packages, which is made once and kept: in {@code
 * -Dinterop.venv=DIR}, else in {@code target/interop} of the project. Tests that need one are left
 * out, with a line, where there is no Python 3; {@code VSTAR_INTEROP=required} makes that an error.
 */
public final class PythonEnvironment {

  private static final String COMPLETE = "complete";
  private static final boolean REQUIRED = "required".equals(System.getenv("VSTAR_INTEROP"));

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
    Path folder = folder(requirements);
    Path python = folder.resolve("bin/python");
    make(
        folder,
        List.of("python3", "-m", "venv", folder.toString()),
        List.of(
            python.toString(),
            "-m",
            "pip",
            "install",
            "-q",
            "--no-compile",
            "-r",
            requirements.toString()));
    return new PythonEnvironment(python, "");
  }

  /** The same with packages, without what they require, that hide those of the same name. */
  public PythonEnvironment with(Path requirements) throws IOException, InterruptedException {
    Path folder = folder(requirements);
    String there = folder.toString();
    String file = requirements.toString();
    make(
        folder,
        List.of("mkdir", "-p", there),
        List.of(
            python.toString(),
            "-m",
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--target",
            there,
            "-r",
            file));
    return new PythonEnvironment(python, path.isEmpty() ? there : there + ":" + path);
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

  private static Path folder(Path requirements) throws IOException {
    CRC32 sum = new CRC32();
    sum.update(Files.readAllBytes(requirements));
    String name = requirements.getFileName().toString().replace(".txt", "");
    String own = String.format(Locale.ROOT, "%s-%08x", name, sum.getValue());
    String named = System.getProperty("interop.venv");
    return (named == null ? root().resolve("target/interop") : Path.of(named))
        .toAbsolutePath()
        .resolve(own);
  }

  /** The project's folder, from that of any of its modules. */
  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(folder.resolve("submit"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  @SafeVarargs
  private static void make(Path folder, List<String>... commands)
      throws IOException, InterruptedException {
    Files.createDirectories(folder.getParent());
    Path lock = folder.resolveSibling(folder.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      if (Files.exists(folder.resolve(COMPLETE))) {
        return;
      }
      for (List<String> command : commands) {
        String failed = failure(command);
        assertThat(!REQUIRED || failed.isEmpty()).as(failed).isTrue();
        if (!failed.isEmpty()) {
          System.err.println("left out, without what Python needs: " + failed);
        }
        assumeTrue(failed.isEmpty(), failed);
      }
      Files.createFile(folder.resolve(COMPLETE));
    }
  }

  /** What a command said, where it failed; empty where it did not. */
  private static String failure(List<String> command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? "" : String.join(" ", command) + ": " + said;
    } catch (UncheckedIOException | IOException e) {
      return "there is no " + command.get(0) + ": " + e.getMessage();
    }
  }
}
