package org.vstar.env.webshoplite;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * What the shop pays for. A config names a {@code preset} ({@code shaped}, the default, {@code
 * shaped-plus}, {@code anti-loop} or {@code sparse}); any of these keys beside it overrides the
 * preset's.
 *
 * @param correctBuy for buying the wanted product
 * @param wrongBuy for buying another
 * @param helpfulSearch for the first search of the episode that shows the wanted product
 * @param searchDecay factor on {@code helpfulSearch} for each search before it, in (0, 1]
 * @param helpfulClick for first opening the wanted product's page
 * @param irrelevantClick for opening another's page
 * @param freeSearches searches after which each further turn pays {@code stepPenalty}
 * @param stepPenalty see {@code freeSearches}
 * @param invalidAction for what is not a legal action (RAGEN's format penalty)
 */
public record Rewards(
    double correctBuy,
    double wrongBuy,
    double helpfulSearch,
    double searchDecay,
    double helpfulClick,
    double irrelevantClick,
    int freeSearches,
    double stepPenalty,
    double invalidAction)
    implements Serializable {

  private static final double FORMAT_PENALTY = -0.1;
  private static final Map<String, Rewards> PRESETS =
      new TreeMap<>(
          Map.of(
              "shaped",
              new Rewards(1, 0, 0.10, 1, 0, -0.05, Integer.MAX_VALUE, 0, FORMAT_PENALTY),
              "shaped-plus",
              new Rewards(1, -0.10, 0.2, 1, 0.3, -0.05, Integer.MAX_VALUE, 0, FORMAT_PENALTY),
              "anti-loop",
              new Rewards(1, 0, 0.10, 0.5, 0, -0.05, 2, -0.05, FORMAT_PENALTY),
              "sparse",
              new Rewards(1, 0, 0, 1, 0, 0, Integer.MAX_VALUE, 0, FORMAT_PENALTY)));

  public Rewards {
    InvalidInputException.require(
        searchDecay > 0 && searchDecay <= 1, "searchDecay", searchDecay, "more than 0, at most 1");
    InvalidInputException.require(freeSearches >= 0, "freeSearches", freeSearches, "at least 0");
  }

  /**
   * The named preset.
   *
   * @throws InvalidInputException naming the presets there are
   */
  public static Rewards preset(String name) {
    Rewards rewards = PRESETS.get(name);
    if (rewards == null) {
      throw new InvalidInputException(
          "no rewards preset '" + name + "', expected one of " + presets());
    }
    return rewards;
  }

  public static List<String> presets() {
    return List.copyOf(PRESETS.keySet());
  }

  /** From a config: a preset, and whatever of it is to be different. */
  @JsonCreator
  static Rewards of(
      @Default("shaped") @JsonProperty("preset") String preset,
      @OptionalKey @JsonProperty("correctBuy") Double correctBuy,
      @OptionalKey @JsonProperty("wrongBuy") Double wrongBuy,
      @OptionalKey @JsonProperty("helpfulSearch") Double helpfulSearch,
      @OptionalKey @JsonProperty("searchDecay") Double searchDecay,
      @OptionalKey @JsonProperty("helpfulClick") Double helpfulClick,
      @OptionalKey @JsonProperty("irrelevantClick") Double irrelevantClick,
      @OptionalKey @JsonProperty("freeSearches") Integer freeSearches,
      @OptionalKey @JsonProperty("stepPenalty") Double stepPenalty,
      @OptionalKey @JsonProperty("invalidAction") Double invalidAction) {
    Rewards base = preset(preset);
    return new Rewards(
        or(correctBuy, base.correctBuy),
        or(wrongBuy, base.wrongBuy),
        or(helpfulSearch, base.helpfulSearch),
        or(searchDecay, base.searchDecay),
        or(helpfulClick, base.helpfulClick),
        or(irrelevantClick, base.irrelevantClick),
        freeSearches == null ? base.freeSearches : freeSearches,
        or(stepPenalty, base.stepPenalty),
        or(invalidAction, base.invalidAction));
  }

  private static double or(Double given, double preset) {
    return given == null ? preset : given;
  }

  String fingerprint() {
    return CanonicalJson.of("webshop-lite rewards", 1)
        .with("correctBuy", correctBuy)
        .with("wrongBuy", wrongBuy)
        .with("helpfulSearch", helpfulSearch)
        .with("searchDecay", searchDecay)
        .with("helpfulClick", helpfulClick)
        .with("irrelevantClick", irrelevantClick)
        .with("freeSearches", freeSearches)
        .with("stepPenalty", stepPenalty)
        .with("invalidAction", invalidAction)
        .fingerprint();
  }
}
