package org.vstar.model.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KernelsTest {

  private final SplittableRandom random = new SplittableRandom(4);

  private float[] random(int n) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextDouble(-1, 1);
    }
    return x;
  }

  /** On a processor of 512 bits, that is; on another both sides have the same width. */
  @Test
  void vectorsOf256BitsGiveTheSameBitsAsThoseOfThisProcessor() throws Exception {
    Process narrow =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "-XX:MaxVectorSize=32",
                "-cp",
                System.getProperty("java.class.path"),
                KernelBits.class.getName())
            .start();
    String said = new String(narrow.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(narrow.waitFor()).isZero();
    assertThat(said.strip()).isEqualTo("8 " + KernelBits.hash());
  }

  @Test
  void exponentialsAreThoseOfTheJdkAndVanishFarBelowTheMaximum() {
    float[] x = Arrays.copyOf(new float[] {0, -1, -3.5f, -20, -43.9f, -44.1f}, 16);
    Arrays.fill(x, 6, 16, Float.NEGATIVE_INFINITY);
    x[15] = -0.25f;
    float[] e = x.clone();
    float sum = Kernels.exponentials(e, 0, x.length, 0);
    double expected = 0;
    for (int i = 0; i < x.length; i++) {
      double exact = x[i] < -44 ? 0 : Math.exp(x[i]);
      assertThat((double) e[i]).isCloseTo(exact, within(3e-7 * exact));
      expected += exact;
    }
    assertThat((double) sum).isCloseTo(expected, within(1e-6));
    assertThat(Kernels.sumExponentials(x, 0, x.length, 0)).isEqualTo(sum);
    assertThat(e[5]).isZero();
    assertThat(e[6]).isZero();
  }

  @Test
  void whatIsMultipliedByTheSmallestExponentialIsNoSubnormalNumber() {
    for (float x = 0; x > -100; x -= 0.5f) {
      float[] e = new float[16];
      Arrays.fill(e, x);
      Kernels.exponentials(e, 0, e.length, 0);
      assertThat(e[0] == 0 || e[0] * 1e-18f >= Float.MIN_NORMAL).as("e^%s", x).isTrue();
    }
  }

  @Test
  void swigluGradientMatchesNumericDifferences() {
    int n = 16;
    float[] in = random(2 * n);
    float[] out = new float[n];
    Kernels.swiglu(in, 0, out, 0, n);
    float[] dOut = random(n);
    float[] gradient = in.clone();
    Kernels.swigluGradient(gradient, 0, dOut, 0, n);
    for (int i = 0; i < 2 * n; i++) {
      double numeric = (loss(in, i, 1e-2f, dOut, n) - loss(in, i, -1e-2f, dOut, n)) / 2e-2;
      assertThat((double) gradient[i]).isCloseTo(numeric, within(1e-3));
    }
  }

  private static double loss(float[] in, int at, float by, float[] weights, int n) {
    float[] moved = in.clone();
    moved[at] += by;
    float[] out = new float[n];
    Kernels.swiglu(moved, 0, out, 0, n);
    double sum = 0;
    for (int i = 0; i < n; i++) {
      sum += (double) weights[i] * out[i];
    }
    return sum;
  }
}
