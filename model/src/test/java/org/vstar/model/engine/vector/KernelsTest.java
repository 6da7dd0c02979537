package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.vector.Kernels.View;

class KernelsTest {

  private final SplittableRandom random = new SplittableRandom(4);

  private float[] random(int n) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextDouble(-1, 1);
    }
    return x;
  }

  /** One chain of fused multiply-adds in the order of k: what every product promises. */
  private static float chain(float[] a, float[] b, float from, int i, int j, int n, int k) {
    float sum = from;
    for (int p = 0; p < k; p++) {
      sum = Math.fma(a[i * k + p], b[p * n + j], sum);
    }
    return sum;
  }

  @Test
  void everyElementOfAProductIsOneChainOfFusedMultiplyAdds() {
    // Depths on both sides of a panel's, rows on both sides of a tile's and of packing.
    for (int k : new int[] {1, 255, 256, 257, 700}) {
      for (int m : new int[] {1, 3, 4, 31, 37}) {
        int n = 48;
        float[] a = random(m * k);
        float[] b = random(k * n);
        for (boolean add : new boolean[] {false, true}) {
          float[] c = random(m * n);
          float[] before = c.clone();
          Kernels.multiply(
              View.rows(a, 0, k), View.rows(b, 0, n), View.rows(c, 0, n), m, n, k, add);
          for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
              float from = add ? before[i * n + j] : 0;
              assertThat(c[i * n + j]).isEqualTo(chain(a, b, from, i, j, n, k));
            }
          }
        }
      }
    }
  }

  @Test
  void aTransposedViewGivesTheSameBits() {
    int m = 37;
    int k = 300;
    int n = 32;
    float[] a = random(m * k);
    float[] turned = new float[m * k];
    Kernels.transpose(a, 0, m, k, turned, 0);
    float[] b = random(k * n);
    float[] straight = new float[m * n];
    float[] crossed = new float[m * n];
    View right = View.rows(b, 0, n);
    Kernels.multiply(View.rows(a, 0, k), right, View.rows(straight, 0, n), m, n, k, false);
    Kernels.multiply(
        View.transposed(turned, 0, m), right, View.rows(crossed, 0, n), m, n, k, false);
    assertThat(crossed).isEqualTo(straight);
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
    float[] x = Arrays.copyOf(new float[] {0, -1, -3.5f, -20, -80, -88}, 16);
    Arrays.fill(x, 6, 16, Float.NEGATIVE_INFINITY);
    x[15] = -0.25f;
    float[] e = x.clone();
    float sum = Kernels.exponentials(e, 0, x.length, 0);
    double expected = 0;
    for (int i = 0; i < x.length; i++) {
      double exact = x[i] < -87 ? 0 : Math.exp(x[i]);
      assertThat((double) e[i]).isCloseTo(exact, within(3e-7 * exact));
      expected += exact;
    }
    assertThat((double) sum).isCloseTo(expected, within(1e-6));
    assertThat(Kernels.sumExponentials(x, 0, x.length, 0)).isEqualTo(sum);
    assertThat(e[5]).isZero();
    assertThat(e[6]).isZero();
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
