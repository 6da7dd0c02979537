package org.vstar.spark.evaluate;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.Collection;

/**
 * What some episodes come to.
 *
 * @param successInterval Wilson, 95 %
 * @param avgReward mean return
 * @param rewardInterval normal, 95 %
 * @param avgSteps mean turns
 */
@JsonNaming(SnakeCaseStrategy.class)
public record Score(
    int episodes,
    int successes,
    double successRate,
    Interval successInterval,
    double avgReward,
    Interval rewardInterval,
    double avgSteps) {

  /** Scores at least one episode. */
  public static Score of(Collection<EpisodeRow> rows) {
    int n = rows.size();
    int successes = (int) rows.stream().filter(EpisodeRow::success).count();
    double reward = rows.stream().mapToDouble(EpisodeRow::reward).sum() / n;
    double squares =
        rows.stream().mapToDouble(r -> (r.reward() - reward) * (r.reward() - reward)).sum();
    return new Score(
        n,
        successes,
        successes / (double) n,
        Interval.wilson(successes, n),
        reward,
        Interval.ofMean(reward, Math.sqrt(squares / Math.max(1, n - 1)), n),
        rows.stream().mapToInt(EpisodeRow::steps).sum() / (double) n);
  }
}
