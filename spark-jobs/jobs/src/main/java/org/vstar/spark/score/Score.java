package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
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
    ClusteredMean success = mean(rows, row -> row.success() ? 1 : 0);
    ClusteredMean reward = mean(rows, EpisodeRow::reward);
    int clusters = (int) success.clusters();
    return new Score(
        rows.size(),
        clusters,
        (int) success.sum(),
        success.mean(),
        success.rateInterval(),
        reward.mean(),
        clusters == 1 ? null : reward.interval(),
        rows.stream().mapToInt(EpisodeRow::steps).sum() / (double) rows.size());
  }

  private static ClusteredMean mean(Collection<EpisodeRow> rows, ToDoubleFunction<EpisodeRow> of) {
    Map<String, List<EpisodeRow>> clusters =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    EpisodeRow::cluster, LinkedHashMap::new, Collectors.toList()));
    return clusters.values().stream()
        .map(
            cluster ->
                ClusteredMean.ofCluster(cluster.size(), cluster.stream().mapToDouble(of).sum()))
        .reduce(ClusteredMean.NONE, ClusteredMean::plus);
  }
}
