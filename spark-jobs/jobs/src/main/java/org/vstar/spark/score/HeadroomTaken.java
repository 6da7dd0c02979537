package org.vstar.spark.score;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How much of the way from the reference's success to its pass@k a trained policy took, on the same
 * tasks, both sampled alike. Pass@k is the share of tasks of which the reference solves one of k
 * samples: what training can reach by making likely what already happens.
 *
 * @param method the trained policy
 * @param k samples of each task
 * @param reference the reference's success
 * @param passAtK the reference's pass@k
 * @param success the trained policy's success
 */
@JsonNaming(SnakeCaseStrategy.class)
public record HeadroomTaken(
    String method, int k, double reference, double passAtK, double success) {

  /**
   * Of every trained policy that was sampled; none if the reference was not, or has one sample of
   * each task.
   *
   * @param reference the reference's method
   * @param trained the methods of trained policies
   */
  public static List<HeadroomTaken> of(
      List<EpisodeRow> rows, String reference, Collection<String> trained) {
    Map<String, List<EpisodeRow>> sampled =
        rows.stream()
            .filter(row -> row.mode().equals(DecodingMode.SAMPLED))
            .collect(Collectors.groupingBy(EpisodeRow::method));
    Map<String, int[]> outcomes = outcomes(sampled.getOrDefault(reference, List.of()));
    int k = outcomes.values().stream().mapToInt(of -> of[0]).min().orElse(0);
    if (k < 2) {
      return List.of();
    }
    double success = rate(sampled.get(reference));
    double pass = outcomes.values().stream().filter(of -> of[1] > 0).count();
    List<HeadroomTaken> taken = new ArrayList<>();
    trained.stream()
        .filter(sampled::containsKey)
        .sorted()
        .forEach(
            method ->
                taken.add(
                    new HeadroomTaken(
                        method, k, success, pass / outcomes.size(), rate(sampled.get(method)))));
    return taken;
  }

  /** Samples and successes by task. */
  private static Map<String, int[]> outcomes(List<EpisodeRow> rows) {
    Map<String, int[]> outcomes = new HashMap<>();
    for (EpisodeRow row : rows) {
      int[] of = outcomes.computeIfAbsent(row.taskId(), task -> new int[2]);
      of[0]++;
      of[1] += row.success() ? 1 : 0;
    }
    return outcomes;
  }

  private static double rate(List<EpisodeRow> rows) {
    return rows.stream().filter(EpisodeRow::success).count() / (double) rows.size();
  }

  /** A sentence for a report. */
  public String words() {
    double room = passAtK - reference;
    double gain = success - reference;
    String share =
        room > 0
            ? String.format(Locale.ROOT, "%.0f %% of it", 100 * gain / room)
            : "there is none to take";
    return String.format(
        Locale.ROOT,
        "Headroom: the reference, sampled, succeeds %.1f %% of the time, and once in %d samples on"
            + " %.1f %% of the tasks. %s takes %+.1f of these %.1f points: %s.",
        100 * reference,
        k,
        100 * passAtK,
        method,
        100 * gain,
        100 * room,
        share);
  }
}
