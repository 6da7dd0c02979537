package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * By how much a trained policy succeeds more often than its own reference, on the same tasks and in
 * the same mode.
 *
 * @param method the trained policy
 * @param success difference of the success rates
 * @param interval normal, 95 %, paired by task and clustered; never narrower than if one episode
 *     had come out otherwise, and −1 to 1 for one cluster, which says nothing of how clusters
 *     differ
 */
@JsonNaming(SnakeCaseStrategy.class)
public record PairedDifference(String method, String mode, double success, Interval interval) {

  /**
   * Compares every trained policy that was played on the tasks of the reference.
   *
   * @param reference the reference's method
   * @param trained the methods of trained policies
   */
  public static List<PairedDifference> of(
      List<EpisodeRow> rows, String reference, Collection<String> trained) {
    Map<String, Map<String, List<EpisodeRow>>> played =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    EpisodeRow::mode,
                    LinkedHashMap::new,
                    Collectors.groupingBy(EpisodeRow::method)));
    List<PairedDifference> differences = new ArrayList<>();
    for (Map<String, List<EpisodeRow>> methods : played.values()) {
      List<EpisodeRow> before = methods.get(reference);
      methods.keySet().stream()
          .filter(name -> before != null && trained.contains(name))
          .sorted()
          .forEach(name -> differences.add(difference(methods.get(name), before)));
    }
    return differences;
  }

  /** Both have the same number of episodes on the same tasks. */
  private static PairedDifference difference(List<EpisodeRow> trained, List<EpisodeRow> reference) {
    double n = trained.size();
    Map<String, Double> gains = new HashMap<>();
    Map<String, Integer> sizes = new HashMap<>();
    for (EpisodeRow row : trained) {
      gains.merge(row.cluster(), row.success() ? 1.0 : 0.0, Double::sum);
      sizes.merge(row.cluster(), 1, Integer::sum);
    }
    for (EpisodeRow row : reference) {
      gains.merge(row.cluster(), row.success() ? -1.0 : 0.0, Double::sum);
    }
    double mean = gains.values().stream().mapToDouble(Double::doubleValue).sum() / n;
    double squares = 0;
    for (Map.Entry<String, Double> gain : gains.entrySet()) {
      double residual = gain.getValue() - mean * sizes.get(gain.getKey());
      squares += residual * residual;
    }
    double clusters = gains.size();
    // Where nothing differed the error would be 0; it is at least that of one episode's difference.
    double error = Math.sqrt(clusters / (clusters - 1) * Math.max(1, squares)) / n;
    EpisodeRow first = trained.get(0);
    Interval interval = gains.size() == 1 ? new Interval(-1, 1) : Interval.ofMean(mean, error);
    return new PairedDifference(first.method(), first.mode(), mean, interval);
  }

  /** A sentence for a report. */
  public String words() {
    return String.format(
        java.util.Locale.ROOT,
        "%s, %s: %+.1f points of success against its reference (%.1f – %.1f).",
        method,
        mode,
        100 * success,
        100 * interval.low(),
        100 * interval.high());
  }
}
