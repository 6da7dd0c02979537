package org.vstar.spark.console;

import java.io.PrintStream;
import java.util.Locale;

/**
 * The two streams of a command: its answer, which may be piped on, and how far it is. What goes
 * wrong without ending a command is logged by SLF4J instead, so that operators can filter it.
 */
public final class Console {

  /** The scripts set it where the error stream is a terminal, which Java cannot ask. */
  private static final String TERMINAL = "VSTAR_TERMINAL";

  private Console() {}

  /** Where answers go: the standard output. */
  public static PrintStream out() {
    return System.out;
  }

  /** Where progress and the line that ends a failed command go: the standard error stream. */
  public static PrintStream err() {
    return System.err;
  }

  /** Whether a person looks at {@link #err}. */
  public static boolean isTerminal() {
    return System.getenv(TERMINAL) != null;
  }

  /**
   * Prints a line of the answer.
   *
   * @param format as {@link String#format} has it; numbers are written the same way everywhere
   */
  public static void answer(String format, Object... values) {
    out().println(String.format(Locale.ROOT, format, values));
  }

  /**
   * Prints a line on how far the command is.
   *
   * @param format as {@link String#format} has it
   */
  public static void progress(String format, Object... values) {
    err().println(String.format(Locale.ROOT, format, values));
  }
}
