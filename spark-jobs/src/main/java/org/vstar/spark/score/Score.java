package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.vstar.common.OptionalKey;

/**
 * What some episodes come to. Episodes of one cluster (samples of one task, goals of one product)
 * say less than as many independent ones; both intervals allow for it.
 *
 * @param clusters how many clusters the episodes fall into
 * @param successInterval Wilson, 95 %, at the effective number of episodes
 * @param avgReward mean return
 * @param rewardInterval normal, 95 %; absent for one cluster, which says nothing of how clusters
 *     differ
 * @param avgSteps mean turns
 */
@JsonNaming(SnakeCaseStrategy.class)
public record Score(
    int episodes,
    int clusters,
    int successes,
    double successRate,
    Interval successInterval,
    double avgReward,
    @OptionalKey Interval rewardInterval,
    double avgSteps) {

  /** Scores at least one episode. */
  public static Score of(Collection<EpisodeRow> rows) {
    int n = rows.size();
    int successes = (int) rows.stream().filter(EpisodeRow::success).count();
    double rate = successes / (double) n;
    double reward = rows.stream().mapToDouble(EpisodeRow::reward).sum() / n;
    int clusters = (int) rows.stream().map(EpisodeRow::cluster).distinct().count();
    return new Score(
        n,
        clusters,
        successes,
        rate,
        Interval.wilson(rate, effective(rows, rate, clusters)),
        reward,
        clusters == 1
            ? null
            : Interval.ofMean(
                reward, Math.sqrt(variance(rows, EpisodeRow::reward, reward, clusters))),
        rows.stream().mapToInt(EpisodeRow::steps).sum() / (double) n);
  }

  /** A smaller variance of a rate comes from rounding alone. */
  private static final double TINY = 1e-12;

  /**
   * The effective sample size: how many independent episodes would give the same variance of the
   * success rate. It is at most the number of episodes; where all have the same result, or are of
   * one cluster, it is the number of clusters: nothing is known of how clusters differ.
   */
  private static double effective(Collection<EpisodeRow> rows, double rate, int clusters) {
    double variance = variance(rows, r -> r.success() ? 1 : 0, rate, clusters);
    boolean unknown = rate == 0 || rate == 1 || clusters == 1;
    return unknown ? clusters : Math.min(rows.size(), rate * (1 - rate) / Math.max(TINY, variance));
  }

  /** Variance of a mean over clustered episodes: G/(G-1) Σ_g (Σ_i (y_i - ȳ))² / n². */
  private static double variance(
      Collection<EpisodeRow> rows, ToDoubleFunction<EpisodeRow> y, double mean, int clusters) {
    Map<String, Double> residuals = new HashMap<>();
    rows.forEach(r -> residuals.merge(r.cluster(), y.applyAsDouble(r) - mean, Double::sum));
    double squares = residuals.values().stream().mapToDouble(s -> s * s).sum();
    double n = rows.size();
    return clusters < 2 ? 0 : clusters / (clusters - 1.0) * squares / (n * n);
  }
}
