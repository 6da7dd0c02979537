package org.vstar.env.webshop;

import java.io.Serializable;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.NoisyShopper;

/**
 * Who the reference policy imitates, on train tasks.
 *
 * @param careful share of episodes that the {@linkplain CarefulShopper careful shopper} plays; a
 *     {@linkplain NoisyShopper noisy one} plays the others
 * @param featuresUpTo the careful shopper reads features pages if at most so many options are
 *     wanted; −1 for never
 * @param slips the probability that it does something useless in a turn. A slip is not imitated;
 *     how it goes on is
 * @param errors how often the noisy one errs; only where {@code careful} is below 1
 * @param variation how its episodes differ from the shop's own
 */
@FormerKey(value = "readsFeatures", now = "featuresUpTo")
@FormerKey(value = "scan", now = "errors.scan")
@FormerKey(value = "shortQuery", now = "errors.shortQuery")
@FormerKey(value = "otherProduct", now = "errors.otherProduct")
@FormerKey(value = "buyEarly", now = "errors.buyEarly")
@FormerKey(value = "absentOption", now = "errors.absentOption")
@FormerKey(value = "otherWords", now = "variation.wordSubstitution")
@FormerKey(value = "wordSubstitution", now = "variation.wordSubstitution")
@FormerKey(value = "droppedValues", now = "variation.droppedValues")
public record Demonstrator(
    @Default("1.0") double careful,
    @Default("-1") int featuresUpTo,
    @Default("0.0") double slips,
    @OptionalKey NoisyShopper.ErrorRates errors,
    @Default("{}") TrainVariation variation)
    implements Serializable {

  /** Checks the ranges. */
  public Demonstrator {
    InvalidInputException.requireProbability("careful", careful);
    InvalidInputException.require(
        careful == 1 || errors != null,
        "demonstrator.errors",
        "not there",
        "a section: a noisy shopper plays some episodes, as careful is below 1");
    InvalidInputException.require(featuresUpTo >= -1, "featuresUpTo", featuresUpTo, "at least -1");
    InvalidInputException.requireProbability("slips", slips);
    InvalidInputException.require(
        variation.variants() == 1,
        "demonstrator.variation.variants",
        variation.variants(),
        "no such key: every demonstration is varied anew");
  }
}
