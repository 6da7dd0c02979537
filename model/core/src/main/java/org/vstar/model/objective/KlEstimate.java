package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/**
 * Estimates of KL(π‖π_ref) of a token from d = ln π − ln π_ref of the one that was sampled (J.
 * Schulman, "Approximating KL divergence").
 */
public enum KlEstimate {
  /** d. Its gradient on samples is that of −H(π), not of the divergence. */
  @JsonProperty("k1")
  K1,
  /** d²/2. Its gradient is an unbiased estimate of the divergence's. */
  @JsonProperty("k2")
  K2,
  /** |d|. */
  @JsonProperty("abs")
  ABS,
  /** exp(−d) − 1 + d, never negative; its gradient explodes where π ≪ π_ref. */
  @JsonProperty("k3")
  K3,
  /** The value of k3 with the gradient of k2. */
  @JsonProperty("k3+")
  K3_PLUS;

  /** As configs write it. */
  public String word() {
    return this == K3_PLUS ? "k3+" : name().toLowerCase(Locale.ROOT);
  }

  /**
   * The estimate.
   *
   * @param logBound of |d| in k3's exponential and beside it; infinite for none
   * @param bound of k3; infinite for none
   */
  double value(double d, double logBound, double bound) {
    return switch (this) {
      case K1 -> d;
      case K2 -> d * d / 2;
      case ABS -> Math.abs(d);
      case K3, K3_PLUS -> Math.min(bound, k3(clamp(d, logBound)));
    };
  }

  /** Its gradient by d, 0 where a bound holds. */
  double gradient(double d, double logBound, double bound) {
    return switch (this) {
      case K1 -> 1;
      case K2, K3_PLUS -> d;
      case ABS -> Math.signum(d);
      case K3 -> Math.abs(d) > logBound || k3(d) > bound ? 0 : -Math.expm1(-d);
    };
  }

  private static double k3(double d) {
    return Math.expm1(-d) + d;
  }

  private static double clamp(double d, double bound) {
    return Math.max(-bound, Math.min(bound, d));
  }
}
