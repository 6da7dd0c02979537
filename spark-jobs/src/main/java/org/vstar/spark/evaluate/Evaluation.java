package org.vstar.spark.evaluate;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.ArrayList;
import java.util.List;

/**
 * All that an evaluation has found; what {@code evaluation_results.json} holds, less the episodes.
 *
 * @param audit what is to be said of the split
 * @param differences trained policies against their reference
 */
@JsonIgnoreProperties({"rows"})
record Evaluation(
    List<String> audit, List<Method> methods, List<Difference> differences, List<EpisodeRow> rows) {

  static Evaluation of(List<String> audit, List<EpisodeRow> rows) {
    return new Evaluation(audit, Method.of(rows), Difference.of(rows), rows);
  }

  /** Sentences for the foot of a table. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    differences.forEach(d -> remarks.add(d.words()));
    remarks.addAll(audit);
    remarks.add("Intervals are 95 %, clustered by task or by what it wants.");
    return remarks;
  }
}
