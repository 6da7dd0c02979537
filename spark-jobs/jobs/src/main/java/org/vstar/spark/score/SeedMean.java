package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.math3.distribution.TDistribution;

/**
 * A mean over runs that differ in their seed alone. Another seed would give another policy, and
 * other products other tasks: the interval allows for both.
 *
 * <p>Its variance is that of two-way clustering (Cameron, Gelbach and Miller 2011, equation 2.11:
 * by run, plus by cluster, less by both), but no smaller than by run or by cluster alone. Few runs
 * say little about their own variance, so the interval is Student's, at Satterthwaite's degrees of
 * freedom.
 *
 * @param mean of all values
 * @param interval 95 %; of one run, it allows for clusters alone
 * @param eachRun the mean of each run
 */
@JsonNaming(SnakeCaseStrategy.class)
public record SeedMean(double mean, Interval interval, SortedMap<String, Double> eachRun) {

  private static final double UPPER = 0.975;

  /**
   * One value of one run.
   *
   * @param cluster values of one cluster say less than as many independent ones
   */
  public record Value(String run, String cluster, double value) {}

  /** The mean of at least one value. */
  public static SeedMean of(Collection<Value> values) {
    double mean = values.stream().mapToDouble(Value::value).average().orElseThrow();
    SortedMap<String, Double> eachRun =
        values.stream()
            .collect(
                Collectors.groupingBy(
                    Value::run, TreeMap::new, Collectors.averagingDouble(Value::value)));
    Spread byRun = spread(values, mean, Value::run);
    Spread byCluster = spread(values, mean, Value::cluster);
    Spread byBoth = spread(values, mean, v -> List.of(v.run(), v.cluster()));
    double variance =
        Math.max(
            byRun.variance + byCluster.variance - byBoth.variance,
            Math.max(byRun.variance, byCluster.variance));
    double half = variance == 0 ? 0 : quantile(variance, byRun, byCluster) * Math.sqrt(variance);
    return new SeedMean(mean, new Interval(mean - half, mean + half), eachRun);
  }

  /**
   * The mean of at least one value that is 0 or 1: its interval ends there. Where all are alike,
   * nothing varies that an interval could be made of; it is Wilson's then, of so many clusters.
   */
  public static SeedMean ofRate(Collection<Value> values) {
    SeedMean plain = of(values);
    double rate = plain.mean;
    Interval interval =
        rate == 0 || rate == 1
            ? Interval.wilson(rate, values.stream().map(Value::cluster).distinct().count())
            : new Interval(Math.max(0, plain.interval.low()), Math.min(1, plain.interval.high()));
    return new SeedMean(rate, interval, plain.eachRun);
  }

  /**
   * The variance of the mean.
   *
   * @param groups how many there are; one has no variance
   */
  private record Spread(double variance, int groups) {}

  /** G/(G-1) Σ_g (Σ_i (y_i - ȳ))² / n². */
  private static Spread spread(
      Collection<Value> values, double mean, Function<Value, Object> group) {
    Map<Object, Double> residuals = new HashMap<>();
    values.forEach(v -> residuals.merge(group.apply(v), v.value() - mean, Double::sum));
    double squares = residuals.values().stream().mapToDouble(s -> s * s).sum();
    double groups = residuals.size();
    double n = values.size();
    return new Spread(groups < 2 ? 0 : groups / (groups - 1) * squares / (n * n), residuals.size());
  }

  private static double quantile(double variance, Spread byRun, Spread byCluster) {
    double freedom = variance * variance / (share(byRun) + share(byCluster));
    return new TDistribution(freedom).inverseCumulativeProbability(UPPER);
  }

  private static double share(Spread spread) {
    return spread.groups < 2 ? 0 : spread.variance * spread.variance / (spread.groups - 1);
  }
}
