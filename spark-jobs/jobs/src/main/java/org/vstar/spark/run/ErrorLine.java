package org.vstar.spark.run;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectStreamException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.fs.FSError;
import org.vstar.common.InvalidInputException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What a user is told when a command fails, and the exit code. This is the one place that decides
 * either. What the user can mend (input, files, disks) ends with 2 and the message alone. Anything
 * else ends with 1, and the line names a file that has the trace.
 *
 * @param text one line
 * @param exitCode 1 or 2; 143 for what was stopped from outside
 */
public record ErrorLine(String text, int exitCode) {

  /** Something that the user gave is wrong. */
  static final int BAD_INPUT = 2;

  private static final int FAULT = 1;

  /** As the system's own for a process that it was asked to end. */
  private static final int STOPPED = 143;

  /** The line for what was thrown, here or on an executor. */
  public static ErrorLine of(Throwable thrown) {
    InvalidInputException input = find(thrown, InvalidInputException.class);
    if (input != null) {
      return input(input.getMessage());
    }
    NotSerializableException stays = find(thrown, NotSerializableException.class);
    if (stays != null) {
      return input(
          stays.getMessage()
              + " cannot travel to executors: an environment and all that it holds have to be"
              + " Serializable");
    }
    IOException io = file(thrown);
    if (io != null) {
      String file =
          io instanceof FileSystemException named && named.getFile() != null
              ? named.getFile()
              : "a file";
      return input(InvalidInputException.cannot("read or write " + file, io).getMessage());
    }
    if (String.valueOf(thrown.getMessage()).contains("SparkContext was shut down")) {
      return new ErrorLine(
          "error: stopped from outside; the same command goes on from what is finished", STOPPED);
    }
    Throwable root = root(thrown);
    if (root instanceof IOException && !(root instanceof ObjectStreamException)) {
      return traced(
          "a store or a connection failed",
          "the same command goes on from what is finished",
          root,
          thrown);
    }
    if (root instanceof LinkageError) {
      return traced(
          "a library could not be loaded",
          "is there room to unpack it in the temporary folder of driver and executors?",
          root,
          thrown);
    }
    String what =
        find(thrown, OutOfMemoryError.class) != null
            ? "the memory was too small (--driver-memory, --executor-memory)"
            : "a fault of Vstar's or Spark's, not of your input";
    return new ErrorLine(
        String.format(Locale.ROOT, "error: %s: %s; %s", what, firstLine(thrown), trace(thrown)),
        FAULT);
  }

  private static ErrorLine traced(String what, String hint, Throwable root, Throwable thrown) {
    return new ErrorLine(
        String.format(
            Locale.ROOT, "error: %s (%s): %s; %s", what, firstLine(root), hint, trace(thrown)),
        BAD_INPUT);
  }

  /** The line for a command line that could not be understood. */
  public static ErrorLine misunderstood(ParameterException e) {
    CommandLine command = e.getCommandLine();
    // A required option that is missing is most often there under another name.
    List<String> unknown = command.getUnmatchedArguments();
    String what = unknown.isEmpty() ? e.getMessage() : unknown(command, unknown);
    return input(
        what + ": " + command.getCommandSpec().qualifiedName() + " --help lists the options");
  }

  private static String unknown(CommandLine command, List<String> arguments) {
    String first = arguments.get(0);
    if (!first.startsWith("-")) {
      return "'" + first + "' is no option";
    }
    List<String> near = new UnmatchedArgumentException(command, arguments).getSuggestions();
    return "unknown option '"
        + first
        + "'"
        + (near.isEmpty() ? "" : ", did you mean '" + near.get(0) + "'?");
  }

  private static ErrorLine input(String message) {
    return new ErrorLine("error: " + InvalidInputException.oneLine(message), BAD_INPUT);
  }

  /** What a disk said. Connections that break and objects that do not travel are no files. */
  private static IOException file(Throwable thrown) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (e instanceof FileSystemException || e instanceof FileNotFoundException) {
        return (IOException) e;
      }
      if (e instanceof FSError && e.getCause() instanceof IOException said) {
        return said;
      }
    }
    return thrown instanceof IOException io && thrown.getClass() == IOException.class ? io : null;
  }

  private static Throwable root(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static <T extends Throwable> T find(Throwable thrown, Class<T> type) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (type.isInstance(e)) {
        return type.cast(e);
      }
    }
    return null;
  }

  /** Spark's messages have traces in them. */
  private static String firstLine(Throwable thrown) {
    String first = thrown.toString().lines().findFirst().orElse("");
    return InvalidInputException.oneLine(first);
  }

  private static String trace(Throwable thrown) {
    try {
      Path log = Files.createTempFile("vstar-", ".log");
      try (PrintWriter out = new PrintWriter(log.toFile(), StandardCharsets.UTF_8)) {
        thrown.printStackTrace(out);
      }
      return "the trace is in " + log;
    } catch (IOException e) {
      return "the trace could not be written (" + e.getMessage() + ")";
    }
  }
}
