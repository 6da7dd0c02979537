package org.vstar.model.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.Advantage;

class ObjectiveTest {

  private static final float[] LOG_PI = {-0.5f, -1.25f, -0.125f};
  private static final float[] LOG_REF = {-0.75f, -1.0f, -0.5f};

  @Test
  void regressionIsTheSquaredDistanceOfLogRatioAndAdvantage() {
    Objective.Loss loss = loss(new AStarPoRegression(0.1, 0.0), LOG_PI, LOG_REF, 1, 0.4);
    double logRatio = 0.25 - 0.25 + 0.375;
    assertThat(loss.value()).isCloseTo(Math.pow(0.1 * logRatio - 0.6, 2), within(1e-12));
    assertThat(loss.advantage()).isCloseTo(0.6, within(1e-12));
  }

  @Test
  void regressionGradientMatchNumericDifferences() {
    Objective objective = new AStarPoRegression(0.3, 0.0);
    float[] gradient = loss(objective, LOG_PI, LOG_REF, 0.2, 0.9).logProbGradient();
    for (int t = 0; t < LOG_PI.length; t++) {
      double numeric =
          (loss(objective, moved(t, 1e-2f), LOG_REF, 0.2, 0.9).value()
                  - loss(objective, moved(t, -1e-2f), LOG_REF, 0.2, 0.9).value())
              / 2e-2;
      assertThat((double) gradient[t]).isCloseTo(numeric, within(1e-4));
    }
  }

  /** No gradient goes through the advantage: the numeric derivative holds it fixed. */
  @Test
  void policyGradientGradientMatchNumericDifferencesWithTheAdvantageHeldFixed() {
    AStarPoPolicyGradient objective = new AStarPoPolicyGradient(0.05, 0.3, 2, 0.0);
    Objective.Loss loss = loss(objective, LOG_PI, LOG_REF, 1, 0.4);
    for (int t = 0; t < LOG_PI.length; t++) {
      double up = surrogate(moved(t, 1e-3f), loss.advantage(), 0.3);
      double down = surrogate(moved(t, -1e-3f), loss.advantage(), 0.3);
      assertThat((double) loss.logProbGradient()[t]).isCloseTo((up - down) / 2e-3, within(1e-3));
    }
    assertThat(loss.value()).isCloseTo(surrogate(LOG_PI, loss.advantage(), 0.3), within(1e-9));
  }

  private static double surrogate(float[] logPi, double advantage, double klWeight) {
    double mean = 0;
    double kl = 0;
    for (int t = 0; t < logPi.length; t++) {
      double rho = (double) LOG_REF[t] - logPi[t];
      mean += logPi[t] / 3.0;
      kl += 0.5 * rho * rho / 3.0;
    }
    return -advantage * mean + klWeight * kl;
  }

  @Test
  void advantageIsReturnPlusScaledLogRatioLessValueAndIsClipped() {
    double meanLogRatio = (-0.25 + 0.25 - 0.375) / 3;
    assertThat(loss(new AStarPoPolicyGradient(0.1, 0, 2, 0.0), LOG_PI, LOG_REF, 1, 0.4).advantage())
        .isCloseTo(0.6 + 0.1 * meanLogRatio, within(1e-9));
    assertThat(
            loss(new AStarPoPolicyGradient(0.1, 0, 0.25, 0.0), LOG_PI, LOG_REF, 1, 0.4).advantage())
        .isEqualTo(0.25);
    assertThat(
            loss(new AStarPoPolicyGradient(0.1, 0, 0.25, 0.0), LOG_PI, LOG_REF, -9, 0.4)
                .advantage())
        .isEqualTo(-0.25);
  }

  @Test
  void klTermVanishesAtTheReferenceAndIsPositiveElsewhere() {
    AStarPoPolicyGradient objective = new AStarPoPolicyGradient(0, 1, 2, 0.0);
    assertThat(loss(objective, LOG_REF, LOG_REF, 0.4, 0.4).value()).isZero();
    assertThat(loss(objective, LOG_PI, LOG_REF, 0.4, 0.4).value()).isPositive();
  }

  /** Over all tokens of a small vocabulary, weighted by π: exact, no sampling. */
  @Test
  void klGradientIsInExpectationTheGradientOfTheDivergenceFromTheReference() {
    double[] logits = {0.3, -1.2, 0.9};
    double[] ref = {0.2, 0.5, 0.3};
    double[] pi = softmax(logits);
    for (int k = 0; k < 3; k++) {
      double expected = 0;
      for (int y = 0; y < 3; y++) {
        float[] gradient =
            loss(
                    new AStarPoPolicyGradient(0, 1, 2, 0.0),
                    new float[] {(float) Math.log(pi[y])},
                    new float[] {(float) Math.log(ref[y])},
                    0,
                    0)
                .logProbGradient();
        expected += pi[y] * gradient[0] * ((y == k ? 1 : 0) - pi[k]);
      }
      double[] up = logits.clone();
      double[] down = logits.clone();
      up[k] += 1e-5;
      down[k] -= 1e-5;
      double numeric = (divergence(softmax(up), ref) - divergence(softmax(down), ref)) / 2e-5;
      assertThat(expected).isCloseTo(numeric, within(1e-5));
    }
  }

  @Test
  void entropyBonusHasTheGradientOfItsValueInBothObjectives() {
    for (double weight : new double[] {0.2, 0.7}) {
      for (Objective[] pair : bothWithAndWithoutEntropyWeight(weight)) {
        float[] with = loss(pair[0], LOG_PI, LOG_REF, 1, 0.4).logProbGradient();
        float[] without = loss(pair[1], LOG_PI, LOG_REF, 1, 0.4).logProbGradient();
        for (int t = 0; t < LOG_PI.length; t++) {
          double numeric = (bonus(pair, moved(t, 1e-2f)) - bonus(pair, moved(t, -1e-2f))) / 2e-2;
          assertThat((double) with[t] - without[t]).isCloseTo(numeric, within(1e-4)).isNegative();
        }
      }
    }
  }

  private static Objective[][] bothWithAndWithoutEntropyWeight(double weight) {
    return new Objective[][] {
      {new AStarPoRegression(0.3, weight), new AStarPoRegression(0.3, 0)},
      {
        new AStarPoPolicyGradient(0, 0.3, 2, weight), new AStarPoPolicyGradient(0, 0.3, 2, 0),
      }
    };
  }

  private static double bonus(Objective[] pair, float[] logPi) {
    return loss(pair[0], logPi, LOG_REF, 1, 0.4).value()
        - loss(pair[1], logPi, LOG_REF, 1, 0.4).value();
  }

  /** Over all tokens of a small vocabulary, weighted by π: exact, no sampling. */
  @Test
  void entropyBonusGradientIsInExpectationThatOfTheNegativeEntropy() {
    double[] logits = {0.3, -1.2, 0.9};
    double[] pi = softmax(logits);
    double[] uniform = {1, 1, 1};
    for (int k = 0; k < 3; k++) {
      double expected = 0;
      for (int y = 0; y < 3; y++) {
        float[] logPi = {(float) Math.log(pi[y])};
        Objective objective = new AStarPoPolicyGradient(0, 0, 2, 0.5);
        float[] gradient = loss(objective, logPi, logPi, 0, 0).logProbGradient();
        expected += pi[y] * gradient[0] * ((y == k ? 1 : 0) - pi[k]);
      }
      double[] up = logits.clone();
      double[] down = logits.clone();
      up[k] += 1e-5;
      down[k] -= 1e-5;
      // The divergence from weights of 1 is the negative entropy.
      double numeric =
          (divergence(softmax(up), uniform) - divergence(softmax(down), uniform)) / 2e-5;
      assertThat(expected).isCloseTo(0.5 * numeric, within(1e-5));
    }
  }

  @Test
  void checkpointsOfRunsWithoutEntropyBonusFitRunsThatDoNotNameIt() {
    assertThat(new AStarPoRegression(0.3, 0).canonical().flat())
        .isEqualTo(new AStarPoRegression(0.3, 0.0).canonical().flat())
        .doesNotContainKey("entropyWeight");
    assertThat(new AStarPoPolicyGradient(0, 0, 1, 0).canonical().flat())
        .doesNotContainKey("entropyWeight");
  }

  @Test
  void checkpointsKeepTheEntropyWeightOfTheirRun() {
    assertThat(new AStarPoRegression(0.3, 0.25).canonical().flat())
        .containsEntry("entropyWeight", "0.25");
    assertThat(new AStarPoPolicyGradient(0, 0, 1, 0.25).canonical().flat())
        .containsEntry("entropyWeight", "0.25");
  }

  private static double[] softmax(double[] logits) {
    double sum = java.util.Arrays.stream(logits).map(Math::exp).sum();
    return java.util.Arrays.stream(logits).map(x -> Math.exp(x) / sum).toArray();
  }

  private static double divergence(double[] p, double[] q) {
    double sum = 0;
    for (int i = 0; i < p.length; i++) {
      sum += p[i] * Math.log(p[i] / q[i]);
    }
    return sum;
  }

  @Test
  void anEmptyGenerationIsALegalTrajectory() {
    float[] none = {};
    Objective.Loss regression = loss(new AStarPoRegression(0.1, 0.0), none, none, 0, 0.5);
    assertThat(regression.value()).isEqualTo(0.25);
    assertThat(regression.logProbGradient()).isEmpty();
    Objective.Loss advantage =
        loss(new AStarPoPolicyGradient(0.1, 0.1, 2, 0.0), none, none, 0, 0.5);
    assertThat(advantage.value()).isZero();
    assertThat(advantage.advantage()).isEqualTo(-0.5);
    assertThat(advantage.logProbGradient()).isEmpty();
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> new AStarPoRegression(0, 0.0))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> new AStarPoPolicyGradient(-1, 0, 1, 0.0))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> new AStarPoPolicyGradient(0, -1, 1, 0.0))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> new AStarPoPolicyGradient(0, 0, 0, 0.0))
        .isInstanceOf(InvalidInputException.class);
  }

  @Test
  void aNegativeEntropyWeightIsRefusedByItsKey() {
    assertThatThrownBy(() -> new AStarPoRegression(1, -0.1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("entropyWeight");
    assertThatThrownBy(() -> new AStarPoPolicyGradient(0, 0, 1, -0.1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("entropyWeight");
  }

  private static float[] moved(int at, float by) {
    float[] copy = LOG_PI.clone();
    copy[at] += by;
    return copy;
  }

  private static Objective.Loss loss(
      Objective objective, float[] logPi, float[] logRef, double reward, double vStar) {
    return objective.loss(
        new Objective.LogProbs(logPi, logPi, logRef, logPi), Advantage.same(reward - vStar));
  }
}
