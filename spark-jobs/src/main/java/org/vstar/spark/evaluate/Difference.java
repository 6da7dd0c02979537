package org.vstar.spark.evaluate;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.HashMap;
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
 *     had come out otherwise
 */
@JsonNaming(SnakeCaseStrategy.class)
record Difference(String method, String mode, double success, Interval interval) {

  /** Compares every trained policy that was played on the tasks of the reference. */
  static List<Difference> of(List<EpisodeRow> rows) {
    Map<String, Map<String, List<EpisodeRow>>> played =
        rows.stream()
            .collect(
                Collectors.groupingBy(EpisodeRow::mode, Collectors.groupingBy(EpisodeRow::method)));
    List<Difference> differences = new ArrayList<>();
    for (String mode : List.of(EpisodeRow.SAMPLED, EpisodeRow.GREEDY)) {
      Map<String, List<EpisodeRow>> methods = played.getOrDefault(mode, Map.of());
      List<EpisodeRow> reference = methods.get(EvaluateJob.REFERENCE);
      methods.keySet().stream()
          .filter(name -> reference != null && name.startsWith(EvaluateJob.TRAINED))
          .sorted()
          .forEach(name -> differences.add(of(methods.get(name), reference)));
    }
    return differences;
  }

  /** Both have the same number of episodes on the same tasks. */
  private static Difference of(List<EpisodeRow> trained, List<EpisodeRow> reference) {
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
    double clusters = Math.max(2, gains.size());
    // Where nothing differed we are not surer than if one episode had.
    double error = Math.sqrt(clusters / (clusters - 1) * Math.max(1, squares)) / n;
    EpisodeRow first = trained.get(0);
    return new Difference(first.method(), first.mode(), mean, Interval.ofMean(mean, error));
  }

  /** A sentence for a report. */
  String words() {
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
