package org.vstar.spark.warmstart;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Says how far a warm start is while a round runs, where a batch takes seconds: a line now and
 * then.
 */
final class BatchProgress {

  private static final double FIRST_SECONDS = 5;

  /** The wait from one line to the next doubles up to this. */
  private static final double MOST_SECONDS = 60;

  private final int batches;
  private final PrintStream to;
  private final LongSupplier nanos;
  private final long start;
  private double nextLine = FIRST_SECONDS;
  private int taken;

  /**
   * Begins to count.
   *
   * @param batches how many are left, in all rounds
   * @param nanos the time, as {@link System#nanoTime}
   */
  BatchProgress(int batches, PrintStream to, LongSupplier nanos) {
    this.batches = batches;
    this.to = to;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
  }

  /** Counts a batch, and prints a line if it is time for one. */
  void taken(double loss) {
    taken++;
    double seconds = (nanos.getAsLong() - start) / 1e9;
    if (seconds < nextLine || taken == batches) {
      return;
    }
    nextLine = seconds + Math.min(MOST_SECONDS, seconds);
    to.println(
        String.format(
            Locale.ROOT,
            "warm start: %d of %d batches, loss %.4f, %.0f s, %.0f s remain",
            taken,
            batches,
            loss,
            seconds,
            seconds / taken * (batches - taken)));
  }
}
