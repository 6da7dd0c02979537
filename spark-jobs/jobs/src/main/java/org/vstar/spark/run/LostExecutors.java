package org.vstar.spark.run;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.vstar.spark.console.Console;

/**
 * Says in a line that an executor was killed, which Spark tells on a page of its own: for {@code
 * spark.extraListeners}. Spark repeats its tasks elsewhere, so the job goes on.
 */
public final class LostExecutors extends SparkListener {

  /** How cluster managers tell of a process that was killed, or of too much memory. */
  private static final Pattern KILLED =
      Pattern.compile(
          "(?:exit(?:ed)?(?: with)?[ _]?(?:code|status):? *\\[?(?:137|143|52)\\b"
              + "|memory limits|OOMKilled|OutOfMemory)",
          Pattern.CASE_INSENSITIVE);

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    line(removed.executorId(), String.valueOf(removed.reason())).ifPresent(Console.err()::println);
  }

  /** The line about an executor, if it was killed. */
  static Optional<String> line(String executor, String reason) {
    Matcher killed = KILLED.matcher(reason);
    if (!killed.find()) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "executor %s was killed (%s), most often because memory ran out: its tasks are repeated;"
                + " if others follow, lower vstar.slots, or give more with --executor-memory or --conf"
                + " spark.executor.memoryOverhead=…",
            executor,
            reason.strip().lines().findFirst().orElse(killed.group())));
  }
}
