package org.vstar.model.advantage;

/**
 * What a critic's values give: of each agent token of each trajectory its advantage, and what the
 * critic is to learn.
 *
 * @param advantages whitened, where that was asked for
 * @param targets A_t + V_t, of the advantages before whitening
 */
record Estimate(double[][] advantages, double[][] targets) {}
