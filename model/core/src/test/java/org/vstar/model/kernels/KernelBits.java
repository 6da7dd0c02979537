package org.vstar.model.kernels;

import java.util.SplittableRandom;
import org.vstar.common.ContentHash;
import org.vstar.model.kernels.Kernels.View;

/** Prints the width of the vectors, and a hash of what the kernels give. */
final class KernelBits {

  private KernelBits() {}

  public static void main(String[] args) {
    System.out.println(Kernels.lanes() + " " + hash());
  }

  static String hash() {
    SplittableRandom random = new SplittableRandom(12);
    MatrixProduct product = new MatrixProduct();
    ContentHash hash = new ContentHash();
    for (int m : new int[] {1, 7, 45}) {
      int k = 300;
      int n = 48;
      float[] a = random(random, m * k);
      float[] b = random(random, k * n);
      float[] c = new float[m * n];
      product.multiply(View.rows(a, 0, k), View.rows(b, 0, n), View.rows(c, 0, n), m, n, k, false);
      product.multiply(
          View.transposed(a, 0, m), View.rows(b, 0, n), View.rows(c, 0, n), m, n, k, true);
      hash.add(c, 0, c.length);
      float max = Kernels.max(c, 0, n);
      float[] sums = {
        max,
        Kernels.dot(a, 0, b, 0, n),
        Kernels.sumExponentials(c, 0, n, max),
        Kernels.exponentials(c, 0, n, max)
      };
      hash.add(sums, 0, sums.length).add(c, 0, c.length);
      Kernels.swigluGradient(a, 0, b, 0, n);
      Kernels.adamw(a, b, c, random(random, n), 0, m == 1 ? 43 : n, 0.9f, 0.98f, 1e-3f, 1e-8f, 1);
      hash.add(a, 0, a.length).add(c, 0, c.length);
    }
    return hash.hex();
  }

  private static float[] random(SplittableRandom random, int n) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextDouble();
    }
    return x;
  }
}
