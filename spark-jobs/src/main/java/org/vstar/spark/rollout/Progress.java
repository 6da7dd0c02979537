package org.vstar.spark.rollout;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.util.LongAccumulator;
import org.vstar.spark.tracking.SparkMetrics;

/**
 * Says how far a job of rollouts is while it runs.
 *
 * @param what the first words of each line
 * @param done counts rollouts as units end
 * @param rollouts how many there will be
 * @param tasks how many tasks they are of
 * @param to where the lines go
 * @param metrics is given the numbers of each line
 */
record Progress(
    String what,
    LongAccumulator done,
    long rollouts,
    int tasks,
    PrintStream to,
    SparkMetrics metrics) {

  private static final int EVERY_SECONDS = 2;

  /**
   * Waits for a job, and prints a line every other second: rollouts done, their rate, what remains.
   *
   * @param check is called with each line; if it throws, the job is given up
   */
  <T> T await(JavaFutureAction<T> action, Runnable check) throws ExecutionException {
    long start = System.nanoTime();
    while (true) {
      try {
        T result = action.get(EVERY_SECONDS, TimeUnit.SECONDS);
        print(rollouts, start);
        return result;
      } catch (TimeoutException e) {
        print(done.value(), start);
        checkOrCancel(action, check);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  private static void checkOrCancel(JavaFutureAction<?> action, Runnable check) {
    try {
      check.run();
    } catch (RuntimeException e) {
      action.cancel(true);
      throw e;
    }
  }

  private void print(long ended, long start) {
    double seconds = (System.nanoTime() - start) / 1e9;
    double rate = ended / seconds;
    metrics.scalars(
        "rollouts",
        ended,
        Map.of("done", (double) ended, "all", (double) rollouts, "per_second", rate));
    to.printf(
        Locale.ROOT,
        "%s: %d of %d tasks, %d of %d rollouts, %.0f rollouts/s, %s%n",
        what,
        ended * tasks / rollouts,
        tasks,
        ended,
        rollouts,
        rate,
        ended == 0
            ? "starting"
            : String.format(Locale.ROOT, "%.0f s remain", (rollouts - ended) / rate));
  }
}
