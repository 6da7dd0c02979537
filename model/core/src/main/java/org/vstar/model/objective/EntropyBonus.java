package org.vstar.model.objective;

/**
 * A bonus for entropy, so that a policy goes on exploring: the part −w · mean_t H(π(·|before t)) of
 * a loss.
 *
 * <p>A loss sees the sampled tokens alone, not the distributions that they came from. So the bonus
 * is w · mean_t ½ (ln π)². Its gradient, w ln π, is an unbiased estimate of the gradient of −w H of
 * each token given the tokens before it, where the tokens are sampled from π itself.
 *
 * @param weight w, 0 or more
 */
record EntropyBonus(double weight) {

  /**
   * Adds the bonus's gradient to a loss's.
   *
   * @param logPi ln π of each token
   * @param logProbGradient of the loss so far, which is added to
   * @return what the bonus adds to the loss
   */
  double add(float[] logPi, float[] logProbGradient) {
    double sum = 0;
    for (int t = 0; t < logPi.length; t++) {
      double each = weight / logPi.length;
      sum += each * 0.5 * logPi[t] * logPi[t];
      logProbGradient[t] += (float) (each * logPi[t]);
    }
    return sum;
  }
}
