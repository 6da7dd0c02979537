package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.vstar.model.checkpoint.PolicyFiles;

/**
 * By how much one policy succeeds more often than another, on the same tasks.
 *
 * @param method the one
 * @param mode how it was played
 * @param against the other
 * @param againstMode how that was played
 * @param success difference of the success rates
 * @param interval normal, 95 %, paired by task and clustered; never narrower than if one episode
 *     had come out otherwise, and −1 to 1 for one cluster, which says nothing of how clusters
 *     differ
 */
@JsonNaming(SnakeCaseStrategy.class)
public record PairedDifference(
    String method,
    DecodingMode mode,
    String against,
    DecodingMode againstMode,
    double success,
    Interval interval) {

  /** A policy in one mode. */
  private record Played(String method, DecodingMode mode) {}

  /**
   * Compares every trained policy with the reference in the same mode, then in the mode in which
   * the reference is best, and with every other trained policy in the same mode.
   *
   * @param reference the reference's method
   * @param best the mode in which the reference is best on validation tasks; null if that is not
   *     known
   * @param trained the methods of trained policies
   */
  public static List<PairedDifference> of(
      List<EpisodeRow> rows, String reference, DecodingMode best, Collection<String> trained) {
    Map<Played, List<EpisodeRow>> played =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    row -> new Played(row.method(), row.mode()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    List<Played> policies =
        played.keySet().stream().filter(p -> trained.contains(p.method)).toList();
    List<PairedDifference> differences = new ArrayList<>();
    for (Played policy : policies) {
      Set<Played> others = new LinkedHashSet<>();
      others.add(new Played(reference, policy.mode));
      others.add(new Played(reference, best));
      policies.stream()
          .filter(p -> p.mode.equals(policy.mode) && p.method.compareTo(policy.method) < 0)
          .forEach(others::add);
      for (Played other : others) {
        if (played.containsKey(other)) {
          differences.add(difference(played, policy, other));
        }
      }
    }
    return differences;
  }

  /** The mode in which a method succeeds most often; null if it was not played. */
  static DecodingMode bestMode(List<MethodSummary> methods, String method) {
    return methods.stream()
        .filter(m -> m.method().equals(method))
        .max(Comparator.comparingDouble(m -> m.all().successRate()))
        .map(MethodSummary::mode)
        .orElse(null);
  }

  private static PairedDifference difference(
      Map<Played, List<EpisodeRow>> played, Played one, Played other) {
    List<EpisodeRow> rows = played.get(one);
    Map<String, Double> rates = rates(rows);
    Map<String, Double> against = rates(played.get(other));
    Map<String, String> clusters = new HashMap<>();
    rows.forEach(row -> clusters.put(row.taskId(), row.cluster()));
    rates.keySet().retainAll(against.keySet());
    Map<String, Double> gains = new HashMap<>();
    Map<String, Integer> sizes = new HashMap<>();
    rates.forEach(
        (task, rate) -> {
          gains.merge(clusters.get(task), rate - against.get(task), Double::sum);
          sizes.merge(clusters.get(task), 1, Integer::sum);
        });
    double n = rates.size();
    double mean = gains.values().stream().mapToDouble(Double::doubleValue).sum() / n;
    double squares = 0;
    for (Map.Entry<String, Double> gain : gains.entrySet()) {
      double residual = gain.getValue() - mean * sizes.get(gain.getKey());
      squares += residual * residual;
    }
    // Where nothing differed the error would be 0; it is at least that of one episode's difference.
    double episode = n / Math.max(rows.size(), played.get(other).size());
    double clusterCount = gains.size();
    double error =
        Math.sqrt(clusterCount / (clusterCount - 1) * Math.max(episode * episode, squares)) / n;
    Interval interval = gains.size() == 1 ? new Interval(-1, 1) : Interval.ofMean(mean, error);
    return new PairedDifference(one.method, one.mode, other.method, other.mode, mean, interval);
  }

  /** Success on each task. */
  private static Map<String, Double> rates(List<EpisodeRow> rows) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(
                EpisodeRow::taskId,
                LinkedHashMap::new,
                Collectors.averagingDouble(row -> row.success() ? 1 : 0)));
  }

  /** A sentence for a report. */
  public String words() {
    boolean own = against.equals(PolicyFiles.REFERENCE);
    return String.format(
        Locale.ROOT,
        "%s, %s: %+.1f points of success against %s%s (%.1f – %.1f).",
        method,
        mode,
        100 * success,
        own ? "its reference" : against,
        mode.equals(againstMode) ? "" : " at its best, " + againstMode,
        100 * interval.low(),
        100 * interval.high());
  }
}
