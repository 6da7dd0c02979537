package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.vstar.common.OptionalKey;

/**
 * What one method came to in one mode.
 *
 * @param byCategory the same per category of task, sorted by name
 * @param failures how many episodes failed in which way
 * @param rewardParts mean of each part of the last reward, over the episodes that have it, sorted
 *     by name
 * @param agentTokens mean tokens that the agent wrote in an episode; absent if it is no policy
 */
@JsonNaming(SnakeCaseStrategy.class)
public record MethodSummary(
    String method,
    DecodingMode mode,
    Score all,
    Map<String, Score> byCategory,
    Map<String, Long> failures,
    Map<String, Double> rewardParts,
    @OptionalKey Double agentTokens) {

  /** The name that tables show. */
  public String label() {
    return mode.label(method);
  }

  /** Scores every method and mode that has episodes, in the order in which they come. */
  public static List<MethodSummary> of(List<EpisodeRow> rows) {
    Map<String, List<EpisodeRow>> groups = new LinkedHashMap<>();
    rows.forEach(
        r -> groups.computeIfAbsent(r.method() + "/" + r.mode(), k -> new ArrayList<>()).add(r));
    List<MethodSummary> methods = new ArrayList<>();
    for (List<EpisodeRow> group : groups.values()) {
      Map<String, Score> byCategory = new TreeMap<>();
      group.stream()
          .collect(Collectors.groupingBy(EpisodeRow::category))
          .forEach((category, some) -> byCategory.put(category, Score.of(some)));
      Map<String, Long> failures =
          group.stream()
              .filter(r -> !r.success())
              .collect(
                  Collectors.groupingBy(EpisodeRow::failure, TreeMap::new, Collectors.counting()));
      EpisodeRow first = group.get(0);
      methods.add(
          new MethodSummary(
              first.method(),
              first.mode(),
              Score.of(group),
              byCategory,
              failures,
              meanParts(group),
              meanTokens(group)));
    }
    return methods;
  }

  private static Map<String, Double> meanParts(List<EpisodeRow> rows) {
    return rows.stream()
        .flatMap(r -> r.rewardParts().entrySet().stream())
        .collect(
            Collectors.groupingBy(
                Map.Entry::getKey, TreeMap::new, Collectors.averagingDouble(Map.Entry::getValue)));
  }

  /** Null unless all episodes are a policy's. */
  private static Double meanTokens(List<EpisodeRow> rows) {
    boolean known = rows.stream().allMatch(r -> r.agentTokens() != null);
    return known ? rows.stream().mapToInt(EpisodeRow::agentTokens).average().orElseThrow() : null;
  }
}
