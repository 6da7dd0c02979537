package org.vstar.spark.score;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.vstar.env.Split;

/**
 * All that an evaluation has found; what {@code evaluation_results.json} holds, less the episodes.
 *
 * @param split which tasks were played
 * @param audit what is to be said of the split
 * @param methods what each method came to
 * @param differences trained policies against their reference
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
    Collection<String> trained,
    List<EpisodeRow> rows) {

  /** The method of the reference policy. */
  public static final String REFERENCE = "reference";

  /** Scores episodes. */
  public static Evaluation of(
      Split split, List<String> audit, Collection<String> trained, List<EpisodeRow> rows) {
    return new Evaluation(
        split.word(),
        audit,
        MethodSummary.of(rows),
        PairedDifference.of(rows, REFERENCE, trained),
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
    remarks.addAll(audit);
    remarks.add("Intervals are 95 %, clustered by task or by what it wants.");
    return remarks;
  }
}
