package org.vstar.spark.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import org.vstar.common.Json;
import org.vstar.env.Split;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.Evaluation;

/**
 * How the reference policy succeeds most often on validation tasks: greedily, or at one of the
 * temperatures that were evaluated.
 *
 * @param mode how it was played
 * @param success the rate
 */
public record BestReference(DecodingMode mode, double success) {

  /** What the evaluation on validation tasks has found, if there is one of the reference. */
  public static Optional<BestReference> of(RunFolder run) throws IOException {
    String file = RunFolder.evaluation(Split.VALIDATION) + "/evaluation_results.json";
    if (!run.store().exists(file)) {
      return Optional.empty();
    }
    BestReference best = null;
    try (InputStream in = run.store().read(file)) {
      JsonNode results = Json.read(run.store().location(file), in, JsonNode.class);
      for (JsonNode method : results.path("methods")) {
        double success = method.path("all").path("success_rate").asDouble();
        boolean reference = method.path("method").asText().equals(Evaluation.REFERENCE);
        if (reference && (best == null || success > best.success)) {
          best =
              new BestReference(
                  Json.convert(file, method.path("mode"), DecodingMode.class), success);
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** A sentence. */
  public String words() {
    return String.format(
        Locale.ROOT,
        "The reference is best %s: %.1f %% of the validation tasks.",
        mode,
        100 * success);
  }
}
