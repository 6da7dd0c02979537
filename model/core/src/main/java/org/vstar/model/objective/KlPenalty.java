package org.vstar.model.objective;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * The divergence from the reference policy as a part of a token's loss.
 *
 * @param klWeight 0 for none, 0 or more
 * @param klKind how it is estimated: {@code k1}, {@code k2}, {@code k3}, {@code k3+} or {@code abs}
 * @param klLogBound bound of ln π/π_ref in k3, above 0; absent for none (verl: 20)
 * @param klBound bound of k3, above 0; absent for none (verl: 10)
 */
@Group
public record KlPenalty(
    @Default("0.0") double klWeight,
    @Default("k2") KlEstimate klKind,
    @OptionalKey Double klLogBound,
    @OptionalKey Double klBound) {

  /** Checks the ranges. */
  public KlPenalty {
    InvalidInputException.require(klWeight >= 0, "klWeight", klWeight, "0 or more");
    InvalidInputException.require(
        klLogBound == null || klLogBound > 0, "klLogBound", klLogBound, "more than 0");
    InvalidInputException.require(
        klBound == null || klBound > 0, "klBound", klBound, "more than 0");
  }

  private static double orNone(Double bound) {
    return bound == null ? Double.POSITIVE_INFINITY : bound;
  }

  /** The part of a token's loss. */
  double value(double logPi, double logRef) {
    return klWeight * klKind.value(logPi - logRef, orNone(klLogBound), orNone(klBound));
  }

  /** Its gradient by ln π. */
  double gradient(double logPi, double logRef) {
    return klWeight * klKind.gradient(logPi - logRef, orNone(klLogBound), orNone(klBound));
  }

  /** For fingerprints. */
  CanonicalJson canonical() {
    return CanonicalJson.of("kl-penalty", 1)
        .with("klWeight", klWeight)
        .with("klKind", klKind.word())
        .with("klLogBound", klLogBound)
        .with("klBound", klBound);
  }
}
