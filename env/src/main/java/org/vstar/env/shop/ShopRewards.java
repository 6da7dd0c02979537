package org.vstar.env.shop;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.vstar.env.ContentHash;
import org.vstar.env.InputError;

/**
 * What the shop pays for.
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
public record ShopRewards(
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
  private static final Map<String, ShopRewards> PRESETS =
      new TreeMap<>(
          Map.of(
              "shaped",
              new ShopRewards(1, 0, 0.10, 1, 0, -0.05, Integer.MAX_VALUE, 0, FORMAT_PENALTY),
              "shaped-plus",
              new ShopRewards(1, -0.10, 0.2, 1, 0.3, -0.05, Integer.MAX_VALUE, 0, FORMAT_PENALTY),
              "anti-loop",
              new ShopRewards(1, 0, 0.10, 0.5, 0, -0.05, 2, -0.05, FORMAT_PENALTY),
              "sparse",
              new ShopRewards(1, 0, 0, 1, 0, 0, Integer.MAX_VALUE, 0, FORMAT_PENALTY)));

  public ShopRewards {
    InputError.require(
        searchDecay > 0 && searchDecay <= 1, "searchDecay", searchDecay, "more than 0, at most 1");
    InputError.require(freeSearches >= 0, "freeSearches", freeSearches, "at least 0");
  }

  /**
   * The named preset.
   *
   * @throws InputError naming the presets there are
   */
  public static ShopRewards preset(String name) {
    ShopRewards rewards = PRESETS.get(name);
    if (rewards == null) {
      throw new InputError("no rewards preset '" + name + "', expected one of " + presets());
    }
    return rewards;
  }

  public static List<String> presets() {
    return List.copyOf(PRESETS.keySet());
  }

  /** From a config: a preset, and whatever of it is to be different. */
  @JsonCreator
  static ShopRewards of(
      @JsonProperty(value = "preset", required = true) String preset,
      @JsonProperty("correctBuy") Double correctBuy,
      @JsonProperty("wrongBuy") Double wrongBuy,
      @JsonProperty("helpfulSearch") Double helpfulSearch,
      @JsonProperty("searchDecay") Double searchDecay,
      @JsonProperty("helpfulClick") Double helpfulClick,
      @JsonProperty("irrelevantClick") Double irrelevantClick,
      @JsonProperty("freeSearches") Integer freeSearches,
      @JsonProperty("stepPenalty") Double stepPenalty,
      @JsonProperty("invalidAction") Double invalidAction) {
    ShopRewards base = preset(preset);
    return new ShopRewards(
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
    return new ContentHash().add(toString()).hex();
  }
}
