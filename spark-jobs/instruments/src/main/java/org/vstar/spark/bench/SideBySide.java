package org.vstar.spark.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.launch.InstrumentLaunch;

/**
 * Engines and PyTorch, one after the other, each in a process of its own.
 *
 * @param device {@code cpu}, or {@code cuda:0}
 * @param type {@code float32} or {@code bfloat16}
 */
record SideBySide(InstrumentLaunch launch, String device, String type) {

  private static final String PYTORCH = "PyTorch";
  private static final String VECTOR = "vector";
  private static final String LIBTORCH = "libtorch";
  private static final String CPU = "cpu";

  private static final List<String> SHAPES =
      List.of("update:128x4", "update:256x4", "update:512x8", "sample:128x4", "sample:256x4");

  /** Heap of a process that times a model of some hundred million parameters. */
  private static final String HEAP = "-Xmx6g";

  private static final List<String> QUIET =
      List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");

  /** The engines that can compute so. The vector engine does in float32 on the processor alone. */
  private List<String> engines() {
    return device.equals(CPU) && type.equals("float32")
        ? List.of(VECTOR, LIBTORCH)
        : List.of(LIBTORCH);
  }

  /** Times small models, and prints a table of what was fastest in some rounds. */
  void engines(int rounds) throws IOException, InterruptedException {
    // A GPU takes a whole batch at once.
    int cores = device.equals(CPU) ? Runtime.getRuntime().availableProcessors() : 1;
    Optional<String> python = python("torch");
    Map<String, Map<String, Double>> best = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (String engine : engines()) {
        List<String> words = new ArrayList<>(QUIET);
        words.addAll(
            List.of(EngineBench.class.getName(), engine, device, type, String.valueOf(cores)));
        words.addAll(SHAPES);
        lines(launch.java(List.of(engine), words), line -> best(best, engine, line));
      }
      if (python.isPresent()) {
        List<String> words = new ArrayList<>(List.of(python.get(), script("bench-engine.py")));
        words.addAll(List.of(device, type, String.valueOf(cores)));
        words.addAll(SHAPES);
        lines(new ProcessBuilder(words), line -> best(best, PYTORCH, line));
      }
    }
    best.forEach((shape, seconds) -> System.out.println(shape + ":" + row(seconds)));
  }

  private static void best(Map<String, Map<String, Double>> best, String who, String line) {
    System.err.println(who + " " + line);
    String[] words = line.split(" ");
    best.computeIfAbsent(words[0], shape -> new LinkedHashMap<>())
        .merge(who, Double.parseDouble(words[1]), Math::min);
  }

  private static String row(Map<String, Double> seconds) {
    StringBuilder row = new StringBuilder();
    Double base = seconds.get(PYTORCH);
    seconds.forEach(
        (who, took) -> {
          row.append(String.format(Locale.ROOT, "  %s %.1f ms", who, 1000 * took));
          if (base != null && !who.equals(PYTORCH)) {
            row.append(String.format(Locale.ROOT, " (%.2f×)", base / took));
          }
        });
    return row.toString();
  }

  /** Times sampling and updates of a model in Hugging Face's layout. */
  void checkpoint(Path folder) throws IOException, InterruptedException {
    Optional<String> python = python("torch", "transformers", "peft");
    for (String what : List.of("sample", "lora", "weights")) {
      for (String engine : engines()) {
        List<String> words = new ArrayList<>(List.of(HEAP));
        words.addAll(QUIET);
        words.add(CheckpointBench.class.getName());
        words.addAll(List.of(folder.toString(), engine, device, type, what));
        ProcessBuilder builder = launch.java(List.of(engine), words);
        // glibc's arenas hold what other threads have freed.
        builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "1");
        measured(builder, engine + ", " + what);
      }
      if (python.isPresent()) {
        String script = script("bench-checkpoint.py");
        measured(
            new ProcessBuilder(python.get(), script, folder.toString(), device, type, what),
            PYTORCH + ", " + what);
      }
    }
  }

  private void measured(ProcessBuilder builder, String who)
      throws IOException, InterruptedException {
    Optional<GpuMemory> memory = device.equals(CPU) ? Optional.empty() : GpuMemory.watch(device);
    lines(builder, line -> System.out.println(who + ": " + line));
    if (memory.isPresent()) {
      System.out.println(who + ": memory of the GPU: " + memory.get().most() + " MiB");
    }
  }

  private static void lines(ProcessBuilder builder, Consumer<String> each)
      throws IOException, InterruptedException {
    Process process = builder.redirectError(Redirect.INHERIT).start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(each);
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new InvalidInputException("a measurement ended with exit code " + code);
    }
  }

  private String script(String name) {
    return launch.script(name);
  }

  /** A Python that has some modules, or none, which a line says. */
  static Optional<String> python(String... modules) throws IOException, InterruptedException {
    String python = System.getenv().getOrDefault("PYTHON", "python3");
    String statement = "import " + String.join(", ", modules);
    try {
      Process process =
          new ProcessBuilder(python, "-c", statement)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.DISCARD)
              .start();
      if (process.waitFor() == 0) {
        return Optional.of(python);
      }
    } catch (IOException e) {
      // No such program: the line below says what to do.
    }
    System.err.printf(
        Locale.ROOT,
        "PyTorch is skipped: %s cannot %s (PYTHON names another)%n",
        python,
        statement);
    return Optional.empty();
  }
}
