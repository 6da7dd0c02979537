package org.vstar.model.objective;

import java.util.Arrays;
import org.vstar.env.InputError;

/**
 * A*-PO as published (arXiv 2505.20686, stage 2): regress the log-ratio of the whole trajectory on
 * its advantage,
 *
 * <pre>L = (β₂ ln π(y|x)/π_ref(y|x) − (r(x,y) − V*(x)))²</pre>
 *
 * @param beta2 above 0; officially 1e-3
 */
public record Regression(double beta2) implements Objective {

  public Regression {
    InputError.require(beta2 > 0, "train.beta2", beta2, "more than 0");
  }

  @Override
  public Loss of(float[] logPi, float[] logRef, double reward, double vStar) {
    double logRatio = 0;
    for (int t = 0; t < logPi.length; t++) {
      logRatio += (double) logPi[t] - logRef[t];
    }
    double advantage = reward - vStar;
    double residual = beta2 * logRatio - advantage;
    float[] slopes = new float[logPi.length];
    Arrays.fill(slopes, (float) (2 * beta2 * residual));
    return new Loss(residual * residual, advantage, slopes);
  }
}
