package org.vstar.spark.score;

import java.io.Serializable;

/**
 * A mean of values that fall into clusters, made of sums, so that parts of it can be added up
 * wherever they are. Its variance is G/(G−1) Σ_g (Σ_i (y_i − ȳ))² / n².
 *
 * @param count n
 * @param clusters G
 * @param sum Σ y
 * @param sumSquares Σ_g S_g², with S_g the sum of a cluster
 * @param crossed Σ_g S_g n_g, with n_g the size of a cluster
 * @param sizeSquares Σ_g n_g²
 */
public record ClusteredMean(
    double count,
    double clusters,
    double sum,
    double sumSquares,
    double crossed,
    double sizeSquares)
    implements Serializable {

  /** Nothing yet. */
  public static final ClusteredMean NONE = new ClusteredMean(0, 0, 0, 0, 0, 0);

  /** A smaller variance of a rate comes from rounding alone. */
  private static final double TINY = 1e-12;

  /**
   * One cluster.
   *
   * @param count how many values it has
   * @param sum of these values
   */
  public static ClusteredMean ofCluster(double count, double sum) {
    return count == 0
        ? NONE
        : new ClusteredMean(count, 1, sum, sum * sum, sum * count, count * count);
  }

  /** Both together; they share no cluster. */
  public ClusteredMean plus(ClusteredMean other) {
    return new ClusteredMean(
        count + other.count,
        clusters + other.clusters,
        sum + other.sum,
        sumSquares + other.sumSquares,
        crossed + other.crossed,
        sizeSquares + other.sizeSquares);
  }

  /** The mean; NaN of nothing. */
  public double mean() {
    return sum / count;
  }

  private double variance() {
    double mean = mean();
    double squares = sumSquares - 2 * mean * crossed + mean * mean * sizeSquares;
    return clusters < 2 ? 0 : clusters / (clusters - 1) * Math.max(0, squares) / (count * count);
  }

  /** Normal, 95 %; from −∞ to ∞ for one cluster, which says nothing of how clusters differ. */
  public Interval interval() {
    return clusters < 2
        ? new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
        : Interval.ofMean(mean(), Math.sqrt(variance()));
  }

  /**
   * Wilson's, 95 %, of values from 0 to 1, at the effective sample size: how many independent
   * values would give the same variance of the mean. It is at most n; where all values are alike,
   * or of one cluster, it is the number of clusters, since nothing is known of how clusters differ.
   */
  public Interval rateInterval() {
    double rate = Math.max(0, Math.min(1, mean()));
    boolean unknown = rate == 0 || rate == 1 || clusters < 2;
    double effective =
        unknown ? clusters : Math.min(count, rate * (1 - rate) / Math.max(TINY, variance()));
    return Interval.wilson(rate, effective);
  }
}
