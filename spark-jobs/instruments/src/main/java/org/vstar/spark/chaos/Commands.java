package org.vstar.spark.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The commands of {@code submit}, as a person types them.
 *
 * @param submit the folder that has them
 * @param logs a folder for what they say
 */
record Commands(Path submit, Path logs) {

  /**
   * How a command ended.
   *
   * @param lastLine of its error stream, but for what Spark says after an error; empty if it said
   *     nothing
   */
  record Said(int code, String lastLine) {}

  /** A command on its way. */
  record Running(Process process, Path errors) {

    private static final Pattern WORKING = Pattern.compile("(?m)^(V\\*: |validation |step )");

    /** Whether it has told how far it is. */
    boolean isWorking() throws IOException {
      return WORKING.matcher(Files.readString(errors)).find();
    }

    Said await() throws IOException, InterruptedException {
      int code = process.waitFor();
      List<String> lines =
          Files.readString(errors).lines().filter(line -> !line.isBlank()).toList();
      String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
      String error =
          lines.stream().filter(line -> line.startsWith("error: ")).reduce(last, (a, b) -> b);
      return new Said(code, error);
    }
  }

  Running start(String command, List<String> arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of(submit.resolve(command).toString()));
    line.addAll(arguments);
    Path errors = Files.createTempFile(logs, command + "-", ".err");
    Process process =
        new ProcessBuilder(line)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(errors.toFile())
            .start();
    return new Running(process, errors);
  }

  Said run(String command, List<String> arguments) throws IOException, InterruptedException {
    return start(command, arguments).await();
  }
}
