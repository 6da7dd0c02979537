package org.vstar.spark.rollout;

import java.io.PrintStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.util.LongAccumulator;

/** Says how far a job of rollouts is while it runs. */
final class Progress {

  private static final int EVERY_SECONDS = 2;

  private Progress() {}

  /**
   * Waits for a job, and prints a line every other second: rollouts done, their rate, what remains.
   *
   * @param what the first words of each line
   * @param done counts rollouts as units end
   * @param perTask rollouts of a task, for the number of tasks done
   */
  static <T> T await(
      JavaFutureAction<T> action,
      String what,
      LongAccumulator done,
      long rollouts,
      int perTask,
      PrintStream to)
      throws ExecutionException {
    long start = System.nanoTime();
    while (true) {
      try {
        T result = action.get(EVERY_SECONDS, TimeUnit.SECONDS);
        print(what, rollouts, rollouts, perTask, start, to);
        return result;
      } catch (TimeoutException e) {
        print(what, done.value(), rollouts, perTask, start, to);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  private static void print(
      String what, long done, long rollouts, int perTask, long start, PrintStream to) {
    double seconds = (System.nanoTime() - start) / 1e9;
    double rate = done / seconds;
    to.printf(
        "%s: %d of %d tasks, %d of %d rollouts, %.0f rollouts/s, %s%n",
        what,
        done / perTask,
        rollouts / perTask,
        done,
        rollouts,
        rate,
        done == 0 ? "starting" : String.format("%.0f s remain", (rollouts - done) / rate));
  }
}
