package org.vstar.model.objective;

import org.vstar.env.InputError;

/**
 * A*-PO as a policy gradient with V* for its baseline, log-probabilities normalised by length:
 *
 * <pre>
 * A = clamp(r + β₂ ln π_ref/π − V*)                 (a constant: no gradient through it)
 * L = −A · ln π(y|x) + λ KL(π‖π_ref)
 * </pre>
 *
 * <p>The divergence is estimated on the sampled tokens by ½ (ln π/π_ref)² (Schulman's k2): never
 * negative, and its slope, ln π/π_ref, gives an unbiased estimate of the gradient of KL(π‖π_ref).
 * (That of k3, ρ − 1 − ln ρ with ρ = π_ref/π, is the gradient of KL(π_ref‖π), and explodes where π
 * ≪ π_ref.)
 *
 * @param beta2 0 or more
 * @param klWeight λ, 0 or more
 * @param clamp bound of |A|, above 0
 */
public record Advantage(double beta2, double klWeight, double clamp) implements Objective {

  public Advantage {
    InputError.require(beta2 >= 0, "train.beta2", beta2, "0 or more");
    InputError.require(klWeight >= 0, "train.klWeight", klWeight, "0 or more");
    InputError.require(clamp > 0, "train.clamp", clamp, "more than 0");
  }

  @Override
  public Loss of(float[] logPi, float[] logRef, double reward, double vStar) {
    int n = logPi.length;
    double meanLogPi = 0;
    double meanLogRatio = 0;
    double kl = 0;
    for (int t = 0; t < n; t++) {
      double logRho = (double) logRef[t] - logPi[t];
      meanLogPi += logPi[t] / (double) n;
      meanLogRatio += logRho / n;
      kl += 0.5 * logRho * logRho / n;
    }
    double raw = reward + beta2 * meanLogRatio - vStar;
    double advantage = Math.max(-clamp, Math.min(clamp, raw));
    float[] slopes = new float[n];
    for (int t = 0; t < n; t++) {
      double klSlope = (double) logPi[t] - logRef[t];
      slopes[t] = (float) ((-advantage + klWeight * klSlope) / n);
    }
    return new Loss(-advantage * meanLogPi + klWeight * kl, advantage, slopes);
  }
}
