package org.vstar.model.value;

import java.util.PriorityQueue;

/**
 * Which tasks get more samples: those where one more lowers the expected squared error of V̂* most.
 * Where the error of n samples is d/n, n becomes proportional to √d (Neyman 1934). No random number
 * is drawn; of equals, the one with fewer samples is served, then the first.
 */
public final class SampleAllocation {

  private SampleAllocation() {}

  /** The expected squared error of a task's V̂*. */
  @FunctionalInterface
  public interface ExpectedError {
    /**
     * The error.
     *
     * @param task which
     * @param samples how many samples it has, at least 1
     */
    double of(int task, int samples);
  }

  private record Gain(int task, int samples, double error) implements Comparable<Gain> {
    @Override
    public int compareTo(Gain other) {
      int order = Double.compare(other.error, error);
      order = order == 0 ? Integer.compare(samples, other.samples) : order;
      return order == 0 ? Integer.compare(task, other.task) : order;
    }
  }

  /**
   * How many samples each task has after the budget is spent.
   *
   * @param errors of each task
   * @param counts what each has, at least 1
   * @param budget samples to be given out; what no task may take is left
   * @param most what one task may have
   */
  public static int[] allocate(ExpectedError errors, int[] counts, long budget, int most) {
    int[] now = counts.clone();
    PriorityQueue<Gain> gains = new PriorityQueue<>();
    for (int task = 0; task < now.length; task++) {
      if (now[task] < most) {
        gains.add(gain(errors, task, now[task]));
      }
    }
    for (long left = budget; left > 0 && !gains.isEmpty(); left--) {
      int task = gains.remove().task;
      now[task]++;
      if (now[task] < most) {
        gains.add(gain(errors, task, now[task]));
      }
    }
    return now;
  }

  private static Gain gain(ExpectedError errors, int task, int samples) {
    return new Gain(task, samples, errors.of(task, samples) - errors.of(task, samples + 1));
  }
}
