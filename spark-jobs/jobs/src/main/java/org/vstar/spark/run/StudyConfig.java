package org.vstar.spark.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * Methods that are compared: what {@code submit/study} runs. The config that the section stands in
 * is what all arms have in common.
 *
 * @param seeds a run of each arm has each of them as its {@code seed}
 * @param arms the methods, by names of your own; the first is what the others are compared with
 * @param rollouts what an arm may play, stage 1 counted; {@code train.steps} of arms that train
 *     online follows from it. Without it {@code train.steps} is the config's
 * @param thresholds rates of success, 0 to 1: the report says when each arm reaches them
 * @param seconds budgets of time, stage 1 counted: the report says how far each arm is when one is
 *     spent, here and with more executors
 * @param bootstrap resamplings of seeds behind the intervals of ratios
 * @param bootstrapSeed seed of these
 */
public record StudyConfig(
    List<Long> seeds,
    Map<String, Arm> arms,
    @OptionalKey Integer rollouts,
    @Default("[0.5]") List<Double> thresholds,
    @Default("[]") List<Double> seconds,
    @Default("2000") int bootstrap,
    @Default("1") long bootstrapSeed) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]*");

  /**
   * A method.
   *
   * @param set keys of the config, dotted, with the arm's own values
   * @param offline whether it trains on stored samples, as {@code submit/train --offline} does
   */
  public record Arm(@Default("{}") Map<String, JsonNode> set, @Default("false") boolean offline) {}

  /** Checks names and ranges. */
  public StudyConfig {
    InvalidInputException.require(
        !seeds.isEmpty() && seeds.stream().distinct().count() == seeds.size(),
        "study.seeds",
        seeds,
        "at least one, and none twice");
    InvalidInputException.require(!arms.isEmpty(), "study.arms", arms.keySet(), "at least one");
    for (String arm : arms.keySet()) {
      InvalidInputException.require(
          NAME.matcher(arm).matches(), "study.arms", arm, "names of letters, digits and dashes");
    }
    InvalidInputException.require(
        rollouts == null || rollouts > 0, "study.rollouts", rollouts, "at least 1");
    for (double threshold : thresholds) {
      InvalidInputException.requireProbability("study.thresholds", threshold);
    }
    for (double budget : seconds) {
      InvalidInputException.require(budget > 0, "study.seconds", budget, "more than 0");
    }
    InvalidInputException.require(bootstrap > 0, "study.bootstrap", bootstrap, "at least 1");
  }

  /**
   * What overrides the config for a run of an arm. The objective goes by the arm's name, so that
   * each arm trains into a folder of its own.
   *
   * @param objectives the config's section, as it stands there
   * @param objective which of these the config trains with
   */
  public Map<String, String> overrides(
      String arm, long seed, JsonNode objectives, String objective) {
    Map<String, String> overrides = new LinkedHashMap<>();
    arms.get(arm)
        .set
        .forEach(
            (key, value) ->
                overrides.put(key, value.isTextual() ? value.asText() : value.toString()));
    String trained = Optional.ofNullable(overrides.get("train.objective")).orElse(objective);
    JsonNode section = objectives.path(trained);
    InvalidInputException.require(
        section.isObject(), "study.arms." + arm + ".set", trained, "an objective of the config");
    if (!trained.equals(arm)) {
      overrides.putIfAbsent("objectives." + arm, section.toString());
    }
    String prefix = "objectives." + trained + ".";
    for (String key : List.copyOf(overrides.keySet())) {
      if (key.startsWith(prefix) && !trained.equals(arm)) {
        String value = overrides.remove(key);
        overrides.put("objectives." + arm + "." + key.substring(prefix.length()), value);
      }
    }
    overrides.put("train.objective", arm);
    overrides.put("seed", Long.toString(seed));
    return overrides;
  }
}
