package org.vstar.spark.score;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.vstar.env.Split;
import org.vstar.model.checkpoint.PolicyFiles;

/**
 * All that an evaluation has found; what {@code evaluation_results.json} holds, less the episodes.
 *
 * @param split which tasks were played
 * @param audit what is to be said of the split
 * @param methods what each method came to
 * @param differences trained policies against their reference and one another
 * @param headroom how much of what the reference leaves each trained policy took
 * @param trained the methods of trained policies
 * @param rows the episodes
 */
@JsonIgnoreProperties({"rows"})
@JsonNaming(SnakeCaseStrategy.class)
public record Evaluation(
    String split,
    List<String> audit,
    List<MethodSummary> methods,
    List<PairedDifference> differences,
    List<HeadroomTaken> headroom,
    Collection<String> trained,
    List<EpisodeRow> rows) {

  /** The method of the reference policy, by the policy's own name. */
  public static final String REFERENCE = PolicyFiles.REFERENCE;

  /** Scores episodes; the reference's best mode is the best among them. */
  public static Evaluation of(
      Split split, List<String> audit, Collection<String> trained, List<EpisodeRow> rows) {
    DecodingMode best = PairedDifference.bestMode(MethodSummary.of(rows), REFERENCE);
    return of(split, audit, trained, rows, best);
  }

  /**
   * Scores episodes.
   *
   * @param best the mode in which the reference is best on validation tasks, or null
   */
  public static Evaluation of(
      Split split,
      List<String> audit,
      Collection<String> trained,
      List<EpisodeRow> rows,
      DecodingMode best) {
    return new Evaluation(
        split.word(),
        audit,
        MethodSummary.of(rows),
        PairedDifference.of(rows, REFERENCE, best, trained),
        HeadroomTaken.of(rows, REFERENCE, trained),
        trained,
        rows);
  }

  /** What was played, for titles. */
  public String title() {
    return split.equals(Split.TEST.word())
        ? "Test tasks, the final evaluation"
        : "Validation tasks (choose by these; --final plays the test tasks)";
  }

  /** Sentences for the foot of a table. */
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    differences.forEach(d -> remarks.add(d.words()));
    headroom.forEach(h -> remarks.add(h.words()));
    remarks.addAll(audit);
    remarks.add("Intervals are 95 %, clustered by task or by what it wants.");
    return remarks;
  }
}
