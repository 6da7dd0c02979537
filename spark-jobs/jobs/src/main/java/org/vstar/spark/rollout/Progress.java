package org.vstar.spark.rollout;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.util.LongAccumulator;
import org.vstar.spark.console.Console;
import org.vstar.spark.tracking.SparkMetrics;

/**
 * Says how far a job of rollouts is while it runs: a bar on a terminal, elsewhere a line now and
 * then.
 *
 * @param what the first words of each line
 * @param done counts rollouts as units end
 * @param turns counts turns as episodes take them
 * @param rollouts how many there will be
 * @param tasks how many tasks they are of
 * @param to where the lines go
 * @param metrics is given the numbers at each look
 */
record Progress(
    String what,
    LongAccumulator done,
    LongSupplier turns,
    long rollouts,
    int tasks,
    PrintStream to,
    SparkMetrics metrics) {

  private static final int LOOK_SECONDS = 2;

  /** The wait from one line to the next doubles up to this. */
  private static final int MOST_SECONDS = 32;

  private static final int BAR_WIDTH = 100;

  /**
   * Waits for a job.
   *
   * @param check is called every other second; if it throws, the job is given up
   */
  <T> T await(JavaFutureAction<T> action, Runnable check) throws ExecutionException {
    boolean terminal = Console.isTerminal() && to == Console.err();
    try (ProgressBar bar = terminal ? bar() : null) {
      long start = System.nanoTime();
      double nextLine = LOOK_SECONDS;
      Pace pace = new Pace(rollouts);
      while (true) {
        try {
          T result = action.get(LOOK_SECONDS, TimeUnit.SECONDS);
          show(rollouts, start, pace, bar, true);
          return result;
        } catch (TimeoutException e) {
          double seconds = (System.nanoTime() - start) / 1e9;
          boolean due = seconds >= nextLine;
          show(done.value(), start, pace, bar, due);
          nextLine = due ? seconds + Math.min(MOST_SECONDS, seconds) : nextLine;
          checkOrCancel(action, check);
        } catch (InterruptedException e) {
          action.cancel(true);
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted", e);
        }
      }
    }
  }

  private ProgressBar bar() {
    return new ProgressBarBuilder()
        .setTaskName(what)
        .setInitialMax(rollouts)
        .setStyle(ProgressBarStyle.ASCII)
        .setUnit(" rollouts", 1)
        .setConsumer(new ConsoleProgressBarConsumer(to, BAR_WIDTH))
        .build();
  }

  private static void checkOrCancel(JavaFutureAction<?> action, Runnable check) {
    try {
      check.run();
    } catch (RuntimeException e) {
      action.cancel(true);
      throw e;
    }
  }

  private void show(long ended, long start, Pace pace, ProgressBar bar, boolean due) {
    double seconds = (System.nanoTime() - start) / 1e9;
    double rate = ended / seconds;
    String said = pace.say(ended, turns.getAsLong(), seconds);
    metrics.scalars(
        "rollouts",
        ended,
        Map.of("done", (double) ended, "all", (double) rollouts, "per_second", rate));
    if (bar != null) {
      bar.stepTo(ended);
      bar.setExtraMessage(ended == 0 ? said : "");
    } else if (due) {
      to.printf(
          Locale.ROOT,
          "%s: %d of %d tasks, %d of %d rollouts, %s%n",
          what,
          ended * tasks / rollouts,
          tasks,
          ended,
          rollouts,
          said);
    }
  }
}
