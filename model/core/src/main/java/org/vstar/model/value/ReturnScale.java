package org.vstar.model.value;

import org.vstar.common.InvalidInputException;

/**
 * How returns weigh in V*: {@code exp(r/β₁)}, brought to 0 for the lowest return of a run and 1 for
 * the highest. V* of a task is {@link #value} of its mean weight; for β₁ = 0 weights are as far
 * apart as returns, and V* is the mean.
 *
 * @param beta1 β₁, 0 or more
 * @param lowest of all returns of the run
 * @param highest of all returns of the run
 */
public record ReturnScale(double beta1, double lowest, double highest)
    implements java.io.Serializable {

  /** Checks the order. */
  public ReturnScale {
    InvalidInputException.require(beta1 >= 0, "beta1", beta1, "0 or more");
    InvalidInputException.require(lowest <= highest, "highest", highest, lowest + " or more");
  }

  /** Whether all returns are the same, so that there is nothing to weigh. */
  public boolean isPoint() {
    return lowest == highest;
  }

  /** 1 − the smallest weight relative to the largest. */
  private double span() {
    return -Math.expm1((lowest - highest) / beta1);
  }

  /** For β₁ = 0, or one beside which all returns are alike. */
  private boolean isLinear() {
    return beta1 == 0 || span() < Double.MIN_NORMAL;
  }

  /** A return's weight, 0 to 1 for those of the run; not defined if all are the same. */
  public double weight(double value) {
    return isLinear()
        ? (value - lowest) / (highest - lowest)
        : 1 + Math.expm1((value - highest) / beta1) / span();
  }

  /** V* of a task with this mean weight. */
  public double value(double weight) {
    double value =
        isLinear()
            ? lowest + weight * (highest - lowest)
            : highest + beta1 * Math.log1p((weight - 1) * span());
    return Math.max(lowest, Math.min(highest, value));
  }
}
