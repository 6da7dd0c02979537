package org.vstar.model.advantage;

/**
 * What a critic's values give: of each agent token of each trajectory its advantage, and what the
 * critic is to learn.
 *
 * @param advantages whitened, where that was asked for
 * @param targets A_t + V_t, of the advantages before whitening
 */
record Estimate(double[][] advantages, double[][] targets) {

  /**
   * An estimate.
   *
   * @param whiten null for advantages as they are
   * @param masked trajectories that are left out of whitening's mean and variance
   */
  static Estimate of(double[][] advantages, double[][] values, Whitening whiten, boolean[] masked) {
    double[][] targets = new double[advantages.length][];
    for (int i = 0; i < targets.length; i++) {
      targets[i] = new double[advantages[i].length];
      for (int t = 0; t < targets[i].length; t++) {
        targets[i][t] = advantages[i][t] + values[i][t];
      }
    }
    return new Estimate(whiten == null ? advantages : whiten.of(advantages, masked), targets);
  }
}
