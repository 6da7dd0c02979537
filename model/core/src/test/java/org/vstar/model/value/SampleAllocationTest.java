package org.vstar.model.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SampleAllocationTest {

  @Test
  void manySamplesAreInProportionToTheDeviationOfOne() {
    double[] variances = {0.01, 0.04, 0.25};
    int[] counts = SampleAllocation.allocate(of(variances), new int[] {1, 1, 1}, 7997, 100_000);
    assertThat(Arrays.stream(counts).sum()).isEqualTo(8000);
    for (int i = 0; i < 3; i++) {
      double share = Math.sqrt(variances[i]) / 0.8;
      assertThat(counts[i] / 8000.0).isCloseTo(share, within(1e-3));
    }
  }

  /** Against all ways to give five samples to three tasks. */
  @Test
  void noOtherAllocationHasASmallerExpectedError() {
    double[] variances = {0.2, 0.05, 0.11};
    int[] first = {2, 1, 3};
    int[] counts = SampleAllocation.allocate(of(variances), first, 5, 64);
    double best = error(variances, counts);
    for (int a = 0; a <= 5; a++) {
      for (int b = 0; a + b <= 5; b++) {
        int[] other = {2 + a, 1 + b, 3 + 5 - a - b};
        assertThat(error(variances, other)).isGreaterThanOrEqualTo(best - 1e-15);
      }
    }
  }

  private static double error(double[] variances, int[] counts) {
    double error = 0;
    for (int i = 0; i < counts.length; i++) {
      error += variances[i] / counts[i];
    }
    return error;
  }

  @Test
  void noTaskGetsMoreThanTheMostAndOfEqualsTheFirstIsServed() {
    assertThat(SampleAllocation.allocate(of(1, 0, 0), new int[] {1, 1, 1}, 100, 8))
        .containsExactly(8, 8, 8);
    assertThat(SampleAllocation.allocate(of(1, 1, 1), new int[] {2, 2, 2}, 2, 8))
        .containsExactly(3, 3, 2);
    assertThat(SampleAllocation.allocate(of(9, 1), new int[] {5, 1}, 0, 8)).containsExactly(5, 1);
  }

  @Test
  void equalsAreServedInTurns() {
    assertThat(SampleAllocation.allocate(of(0, 0, 0), new int[] {1, 1, 1}, 7, 64))
        .containsExactly(4, 3, 3);
  }

  /** The delta method would put all samples on the first task where β₁ is small. */
  @Test
  void aTaskThatIsSurelyAtAnEndGetsFewWhateverBeta1() {
    for (double beta1 : new double[] {0, 0.1, 0.5, 2}) {
      ReturnScale scale = new ReturnScale(beta1, 0, 1);
      double[][] points = {
        ValuePosterior.of(scale, 0.9, 2, 16, 16).points(),
        ValuePosterior.of(scale, 0.5, 2, 16, 4).points()
      };
      int[] counts =
          SampleAllocation.allocate(
              (task, n) -> ValuePosterior.expectedError(scale, points[task], n),
              new int[] {16, 16},
              16,
              64);
      assertThat(counts[1]).as("β₁ = " + beta1).isGreaterThan(28);
    }
  }

  private static SampleAllocation.ExpectedError of(double... variances) {
    return (task, n) -> variances[task] / n;
  }
}
