package org.vstar.env.webshop;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * How train tasks and demonstrations differ from the shop's own, so that a policy learns to read
 * and to compare, and not products by heart. Held-out tasks are always as they are.
 *
 * @param wordSubstitution share of episodes all of whose words are substituted for others, and
 *     whose prices are multiplied
 * @param droppedValues share of the values of options that are left out; the others change places.
 *     With 0 products are as they are
 * @param repeatedWords share of episodes in which the value of a wanted option says a word twice,
 *     or its option's name, and so is harder to copy
 * @param rareWords share of substituted words that become rare ones, which are many tokens, as the
 *     brands and colours of held-out products are; 0 without it
 * @param joinedValues share of the other episodes in which values of a wanted option are joined to
 *     other words, and so are longer and alike; 0 without it
 * @param madeUpValues share of the rest in which all values of a wanted option become others that
 *     no catalogue has: model numbers, measures, what stands in brackets; 0 without it
 * @param optionNames share of the episodes with substituted words in which options have other names
 *     too; 0 without it
 * @param raisedPrices share of the episodes with substituted words in which all prices grow by one
 *     sum too, so that they are higher, and differ less for their size; 0 without it
 * @param variants tasks that each original train task becomes, each with words, prices and options
 *     of its own, drawn once from the run's seed; for training only; 1 without it
 */
public record TrainVariation(
    double wordSubstitution,
    double droppedValues,
    double repeatedWords,
    @OptionalKey Double rareWords,
    @OptionalKey Double joinedValues,
    @OptionalKey Double madeUpValues,
    @OptionalKey Double optionNames,
    @OptionalKey Double raisedPrices,
    @OptionalKey Integer variants)
    implements Serializable {

  /** Checks the ranges. */
  public TrainVariation {
    InvalidInputException.requireProbability("wordSubstitution", wordSubstitution);
    InvalidInputException.requireProbability("droppedValues", droppedValues);
    InvalidInputException.requireProbability("repeatedWords", repeatedWords);
    InvalidInputException.requireProbability("rareWords", share(rareWords));
    InvalidInputException.requireProbability("joinedValues", share(joinedValues));
    InvalidInputException.requireProbability("madeUpValues", share(madeUpValues));
    InvalidInputException.requireProbability("optionNames", share(optionNames));
    InvalidInputException.requireProbability("raisedPrices", share(raisedPrices));
    InvalidInputException.require(
        variants == null || variants > 0, "variants", variants, "at least 1");
  }

  /** Without what may be left out. */
  public TrainVariation(double wordSubstitution, double droppedValues, double repeatedWords) {
    this(wordSubstitution, droppedValues, repeatedWords, null, null, null, null, null, null);
  }

  private static double share(Double leftOut) {
    return leftOut == null ? 0 : leftOut;
  }

  double rareShare() {
    return share(rareWords);
  }

  double joinedShare() {
    return share(joinedValues);
  }

  double madeUpShare() {
    return share(madeUpValues);
  }

  double optionNamesShare() {
    return share(optionNames);
  }

  double raisedShare() {
    return share(raisedPrices);
  }

  int variantCount() {
    return variants == null ? 1 : variants;
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
    return wordSubstitution > 0 || repeatedWords > 0 || joinedShare() > 0 || madeUpShare() > 0;
  }

  String canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("train variation", 4)
            .with("wordSubstitution", wordSubstitution)
            .with("droppedValues", droppedValues)
            .with("repeatedWords", repeatedWords);
    if (rareShare() > 0) {
      canonical.with("rareWords", rareShare());
    }
    if (joinedShare() > 0) {
      canonical.with("joinedValues", joinedShare());
    }
    if (madeUpShare() > 0) {
      canonical.with("madeUpValues", madeUpShare());
    }
    if (optionNamesShare() > 0) {
      canonical.with("optionNames", optionNamesShare());
    }
    if (raisedShare() > 0) {
      canonical.with("raisedPrices", raisedShare());
    }
    if (variantCount() > 1) {
      canonical.with("variants", variants);
    }
    return canonical.text();
  }
}
