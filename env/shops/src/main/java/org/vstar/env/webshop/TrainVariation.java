package org.vstar.env.webshop;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * How train tasks and demonstrations differ from the shop's own, so that a policy learns to read
 * and to compare, and not products by heart. Held-out tasks are always as they are. A config names
 * a {@code preset}, {@code none} (the default), {@code standard} (that of the demonstrations) or
 * {@code moderate} (that of training); any of these keys beside it overrides the preset's.
 *
 * @param wordSubstitution share of episodes in which all words are replaced by others and prices
 *     are multiplied
 * @param droppedValues share of the values of options that are left out; the others change places.
 *     With 0 products are as they are
 * @param repeatedWords share of episodes in which the value of a wanted option says a word twice,
 *     or its option's name, and so is harder to copy
 * @param rareWords share of substituted words that become rare ones, which are many tokens, as the
 *     brands and colours of held-out products are
 * @param joinedValues share of the other episodes in which values of a wanted option are joined to
 *     other words, and so are longer and alike
 * @param madeUpValues share of the rest in which all values of a wanted option become others that
 *     no catalogue has: model numbers, measures, what stands in brackets
 * @param optionNames share of the episodes with substituted words in which options have other names
 *     too
 * @param raisedPrices share of the episodes with substituted words in which one amount is added to
 *     all prices, so that prices are higher and their relative differences smaller
 * @param variants tasks that each original train task becomes, each with words, prices and options
 *     of its own, drawn once from the run's seed; for training only
 */
public record TrainVariation(
    double wordSubstitution,
    double droppedValues,
    double repeatedWords,
    double rareWords,
    double joinedValues,
    double madeUpValues,
    double optionNames,
    double raisedPrices,
    int variants)
    implements Serializable {

  /** Tasks and demonstrations are the shop's own. */
  public static final TrainVariation NONE = new TrainVariation(0, 0, 0, 0, 0, 0, 0, 0, 1);

  private static final Map<String, TrainVariation> PRESETS =
      new TreeMap<>(
          Map.of(
              "none",
              NONE,
              "standard",
              new TrainVariation(0.7, 0.2, 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, 1),
              "moderate",
              new TrainVariation(0.5, 0, 0, 0.3, 0, 0.2, 0.2, 0.2, 1)));

  /** Checks the ranges. */
  public TrainVariation {
    InvalidInputException.requireProbability("wordSubstitution", wordSubstitution);
    InvalidInputException.requireProbability("droppedValues", droppedValues);
    InvalidInputException.requireProbability("repeatedWords", repeatedWords);
    InvalidInputException.requireProbability("rareWords", rareWords);
    InvalidInputException.requireProbability("joinedValues", joinedValues);
    InvalidInputException.requireProbability("madeUpValues", madeUpValues);
    InvalidInputException.requireProbability("optionNames", optionNames);
    InvalidInputException.requireProbability("raisedPrices", raisedPrices);
    InvalidInputException.require(variants > 0, "variants", variants, "at least 1");
  }

  /** From a config: a preset, and whatever of it is to be different. */
  @JsonCreator
  static TrainVariation of(
      @Default("none") @JsonProperty("preset") String preset,
      @OptionalKey @JsonProperty("wordSubstitution") Double wordSubstitution,
      @OptionalKey @JsonProperty("droppedValues") Double droppedValues,
      @OptionalKey @JsonProperty("repeatedWords") Double repeatedWords,
      @OptionalKey @JsonProperty("rareWords") Double rareWords,
      @OptionalKey @JsonProperty("joinedValues") Double joinedValues,
      @OptionalKey @JsonProperty("madeUpValues") Double madeUpValues,
      @OptionalKey @JsonProperty("optionNames") Double optionNames,
      @OptionalKey @JsonProperty("raisedPrices") Double raisedPrices,
      @OptionalKey @JsonProperty("variants") Integer variants) {
    TrainVariation base = preset(preset);
    return new TrainVariation(
        requireNonNullElse(wordSubstitution, base.wordSubstitution),
        requireNonNullElse(droppedValues, base.droppedValues),
        requireNonNullElse(repeatedWords, base.repeatedWords),
        requireNonNullElse(rareWords, base.rareWords),
        requireNonNullElse(joinedValues, base.joinedValues),
        requireNonNullElse(madeUpValues, base.madeUpValues),
        requireNonNullElse(optionNames, base.optionNames),
        requireNonNullElse(raisedPrices, base.raisedPrices),
        requireNonNullElse(variants, base.variants));
  }

  /**
   * From a config that says nothing but a preset's name.
   *
   * @throws InvalidInputException naming the presets there are
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static TrainVariation preset(String name) {
    TrainVariation variation = PRESETS.get(name);
    InvalidInputException.require(
        variation != null, "preset", "'" + name + "'", "one of " + PRESETS.keySet());
    return variation;
  }

  /** Whether anything varies. */
  boolean varies() {
    return rewords() || !sameItems();
  }

  /** Whether products have the shop's own options in their order. */
  boolean sameItems() {
    return droppedValues == 0;
  }

  /** Whether what the agent reads can have words that the shop does not have. */
  boolean rewords() {
    return wordSubstitution > 0 || repeatedWords > 0 || joinedValues > 0 || madeUpValues > 0;
  }

  String canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("train variation", 4)
            .with("wordSubstitution", wordSubstitution)
            .with("droppedValues", droppedValues)
            .with("repeatedWords", repeatedWords);
    if (rareWords > 0) {
      canonical.with("rareWords", rareWords);
    }
    if (joinedValues > 0) {
      canonical.with("joinedValues", joinedValues);
    }
    if (madeUpValues > 0) {
      canonical.with("madeUpValues", madeUpValues);
    }
    if (optionNames > 0) {
      canonical.with("optionNames", optionNames);
    }
    if (raisedPrices > 0) {
      canonical.with("raisedPrices", raisedPrices);
    }
    if (variants > 1) {
      canonical.with("variants", variants);
    }
    return canonical.text();
  }
}
