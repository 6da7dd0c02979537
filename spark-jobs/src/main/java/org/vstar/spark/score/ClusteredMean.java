package org.vstar.spark.score;

import java.io.Serializable;

/**
 * A mean over tasks that fall into clusters, made of sums, so that parts of it can be added up
 * wherever they are. Its variance is G/(G−1) Σ_g (Σ_i (y_i − ȳ))² / n².
 *
 * @param tasks n
 * @param clusters G
 * @param sum Σ y
 * @param sumSquares Σ_g S_g², with S_g the sum of a cluster
 * @param crossed Σ_g S_g n_g, with n_g the tasks of a cluster
 * @param sizeSquares Σ_g n_g²
 */
public record ClusteredMean(
    double tasks,
    double clusters,
    double sum,
    double sumSquares,
    double crossed,
    double sizeSquares)
    implements Serializable {

  /** Nothing yet. */
  public static final ClusteredMean NONE = new ClusteredMean(0, 0, 0, 0, 0, 0);

  /** Sums that were taken elsewhere differ in their last digits by the order of their parts. */
  private static final double DIGITS = 1e9;

  private static final double TINY = 1e-12;

  /**
   * One cluster.
   *
   * @param tasks of it that have a value
   * @param sum of these values
   */
  public static ClusteredMean ofCluster(double tasks, double sum) {
    return tasks == 0
        ? NONE
        : new ClusteredMean(tasks, 1, sum, sum * sum, sum * tasks, tasks * tasks);
  }

  /** Both together; they share no cluster. */
  public ClusteredMean plus(ClusteredMean other) {
    return new ClusteredMean(
        tasks + other.tasks,
        clusters + other.clusters,
        sum + other.sum,
        sumSquares + other.sumSquares,
        crossed + other.crossed,
        sizeSquares + other.sizeSquares);
  }

  /** The mean; NaN of nothing. */
  public double mean() {
    return Math.rint(sum / tasks * DIGITS) / DIGITS;
  }

  private double variance() {
    double mean = sum / tasks;
    double squares = sumSquares - 2 * mean * crossed + mean * mean * sizeSquares;
    return clusters < 2 ? 0 : clusters / (clusters - 1) * Math.max(0, squares) / (tasks * tasks);
  }

  /** Normal, 95 %; from −∞ to ∞ for one cluster, which says nothing of how clusters differ. */
  public Interval interval() {
    return clusters < 2
        ? new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
        : rounded(Interval.ofMean(mean(), Math.sqrt(variance())));
  }

  /** Wilson's, 95 %, of values from 0 to 1, at the effective number of tasks. */
  public Interval rateInterval() {
    double rate = Math.max(0, Math.min(1, mean()));
    boolean unknown = rate == 0 || rate == 1 || clusters < 2;
    double effective =
        unknown ? clusters : Math.min(tasks, rate * (1 - rate) / Math.max(TINY, variance()));
    return rounded(Interval.wilson(rate, Math.max(1, effective)));
  }

  private static Interval rounded(Interval interval) {
    return new Interval(
        Math.rint(interval.low() * DIGITS) / DIGITS, Math.rint(interval.high() * DIGITS) / DIGITS);
  }
}
