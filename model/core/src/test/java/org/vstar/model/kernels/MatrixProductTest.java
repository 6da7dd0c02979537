package org.vstar.model.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.kernels.Kernels.View;

class MatrixProductTest {

  private final SplittableRandom random = new SplittableRandom(4);
  private final MatrixProduct product = new MatrixProduct();

  private float[] random(int n) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextDouble(-1, 1);
    }
    return x;
  }

  private static float[] transpose(float[] in, int rows, int columns) {
    float[] out = new float[in.length];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        out[j * rows + i] = in[i * columns + j];
      }
    }
    return out;
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
    // Depths on both sides of a slice's and of a chunk's, rows on both sides of a tile's and of a
    // block's.
    for (int k : new int[] {1, 3, 127, 128, 129, 385, 600}) {
      for (int m : new int[] {1, 2, 4, 5, 8, 9, 15, 37, 129, 260}) {
        int n = 48;
        float[] a = random(m * k);
        float[] b = random(k * n);
        for (boolean add : new boolean[] {false, true}) {
          float[] c = random(m * n);
          float[] before = c.clone();
          product.multiply(
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
  void transposedViewsOfBothSidesGiveTheSameBits() {
    int n = 48;
    for (int m : new int[] {2, 37, 260}) {
      for (int k : new int[] {3, 130, 600}) {
        float[] a = random(m * k);
        float[] b = random(k * n);
        float[] straight = new float[m * n];
        float[] crossed = new float[m * n];
        product.multiply(
            View.rows(a, 0, k), View.rows(b, 0, n), View.rows(straight, 0, n), m, n, k, false);
        product.multiply(
            View.transposed(transpose(a, m, k), 0, m),
            View.transposed(transpose(b, k, n), 0, k),
            View.rows(crossed, 0, n),
            m,
            n,
            k,
            false);
        assertThat(crossed).isEqualTo(straight);
      }
    }
  }

  @Test
  void whatStandsBesideAMatrixIsLeftAlone() {
    int m = 9;
    int n = 16;
    int k = 5;
    int wide = 40;
    float[] a = random(2 + m * wide);
    float[] b = random(3 + k * wide);
    float[] c = random(1 + m * wide);
    float[] before = c.clone();
    product.multiply(
        View.rows(a, 2, wide), View.rows(b, 3, wide), View.rows(c, 1, wide), m, n, k, false);
    for (int at = 0; at < c.length; at++) {
      int column = (at + wide - 1) % wide;
      boolean inside = at >= 1 && column < n && (at - 1) / wide < m;
      assertThat(c[at] == before[at]).as("place %d", at).isEqualTo(!inside);
    }
  }

  @Test
  void sidesThatWouldWriteBesideAMatrixAreRefused() {
    View any = View.rows(new float[64], 0, 32);
    assertThatThrownBy(() -> product.multiply(any, any, any, 1, 20, 2, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("n is 20 and k is 2, expected a multiple of 16 and 1 or more");
    assertThatThrownBy(() -> product.multiply(any, any, any, 1, 16, 0, false))
        .hasMessageContaining("k is 0");
  }
}
