package org.vstar.model.kernels;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops that the transformer spends its time in, over plain float arrays.
 *
 * <p>Every result is a fixed sequence of IEEE operations: each element of a matrix product is one
 * chain of fused multiply-adds in the order of k, and a sum runs over eight lanes that are then
 * added in order. So a row's result does not depend on which rows stand beside it, on how many
 * threads there are, or on whether the JVM has compiled the loop yet. Determinism, and the equality
 * of sampled and scored log-probabilities, rest on this; a BLAS gives neither.
 *
 * <p>Row lengths are multiples of {@link #LANES} where a method does not say otherwise.
 */
public final class Kernels {

  /** Widths of matrices are multiples of this. */
  public static final int LANES = 16;

  /** The widest vectors that the processor has, of 256 or 512 bits. */
  public static final VectorSpecies<Float> SPECIES =
      FloatVector.SPECIES_PREFERRED.length() >= FloatVector.SPECIES_512.length()
          ? FloatVector.SPECIES_512
          : FloatVector.SPECIES_256;

  private static final VectorSpecies<Float> S = SPECIES;

  private static final int V = S.length();

  /** Lanes of a sum, whatever the width. */
  private static final int SUMS = 8;

  /** Brings the upper half of a vector of two times {@link #SUMS} lanes down. */
  private static final VectorShuffle<Float> UPPER =
      VectorShuffle.fromOp(S, lane -> (lane + SUMS) % V);

  private Kernels() {}

  /** The next multiple of {@link #LANES}. */
  public static int padded(int n) {
    return (n + LANES - 1) / LANES * LANES;
  }

  /** Floats in a vector. */
  public static int lanes() {
    return V;
  }

  /** A view of a matrix: element (i, j) is {@code data[offset + i·rowStride + j·columnStride]}. */
  public record View(float[] data, int offset, int rowStride, int columnStride) {
    public static View rows(float[] data, int offset, int width) {
      return new View(data, offset, width, 1);
    }

    public static View transposed(float[] data, int offset, int width) {
      return new View(data, offset, 1, width);
    }

    /** What lies from row i and column j on. */
    View from(int i, int j) {
      return new View(data, offset + i * rowStride + j * columnStride, rowStride, columnStride);
    }
  }

  /** Σ x·y over n elements, n a multiple of 16. */
  public static float dot(float[] x, int xOff, float[] y, int yOff, int n) {
    FloatVector sum = FloatVector.zero(S);
    for (int i = 0; i < n; i += V) {
      FloatVector a = FloatVector.fromArray(S, x, xOff + i);
      FloatVector b = FloatVector.fromArray(S, y, yOff + i);
      sum = a.fma(b, sum);
      if (V > SUMS) {
        sum = a.rearrange(UPPER).fma(b.rearrange(UPPER), sum);
      }
    }
    return inOrder(sum);
  }

  /** Adds eight lanes after the other eight, as vectors of eight would have been added. */
  private static FloatVector added(FloatVector sum, FloatVector e) {
    return V > SUMS ? sum.add(e).add(e.rearrange(UPPER)) : sum.add(e);
  }

  /** The sum of the first eight lanes. */
  private static float inOrder(FloatVector v) {
    float sum = v.lane(0);
    sum += v.lane(1);
    sum += v.lane(2);
    sum += v.lane(3);
    sum += v.lane(4);
    sum += v.lane(5);
    sum += v.lane(6);
    return sum + v.lane(7);
  }

  /** y += a·x over n elements, n a multiple of 16. */
  public static void addScaled(float a, float[] x, int xOff, float[] y, int yOff, int n) {
    FloatVector scale = FloatVector.broadcast(S, a);
    for (int i = 0; i < n; i += V) {
      scale
          .fma(FloatVector.fromArray(S, x, xOff + i), FloatVector.fromArray(S, y, yOff + i))
          .intoArray(y, yOff + i);
    }
  }

  /** x *= a over n elements, n a multiple of 16. */
  public static void scale(float a, float[] x, int xOff, int n) {
    for (int i = 0; i < n; i += V) {
      FloatVector.fromArray(S, x, xOff + i).mul(a).intoArray(x, xOff + i);
    }
  }

  /** Makes dP into scale·P·(dP − mean) over n elements, n a multiple of 16. */
  public static void softmaxGradient(
      float[] p, float[] dP, int off, int n, float mean, float scale) {
    for (int i = 0; i < n; i += V) {
      FloatVector.fromArray(S, p, off + i)
          .mul(FloatVector.fromArray(S, dP, off + i).sub(mean))
          .mul(scale)
          .intoArray(dP, off + i);
    }
  }

  /** out = x·g·s elementwise, n a multiple of 16. */
  public static void scaledProduct(
      float s, float[] x, int xOff, float[] g, int gOff, float[] out, int outOff, int n) {
    for (int i = 0; i < n; i += V) {
      FloatVector.fromArray(S, x, xOff + i)
          .mul(s)
          .mul(FloatVector.fromArray(S, g, gOff + i))
          .intoArray(out, outOff + i);
    }
  }

  /** into += a·b·s elementwise, n a multiple of 16. */
  public static void addProduct(
      float s, float[] a, int aOff, float[] b, int bOff, float[] into, int intoOff, int n) {
    for (int i = 0; i < n; i += V) {
      FloatVector.fromArray(S, a, aOff + i)
          .mul(FloatVector.fromArray(S, b, bOff + i))
          .mul(s)
          .add(FloatVector.fromArray(S, into, intoOff + i))
          .intoArray(into, intoOff + i);
    }
  }

  /**
   * Turns n scores into e^(score − max), in place, and returns their sum; n a multiple of 16.
   * Scores far below the maximum, −∞ among them, become exactly 0.
   */
  public static float exponentials(float[] x, int off, int n, float max) {
    FloatVector sum = FloatVector.zero(S);
    for (int i = 0; i < n; i += V) {
      FloatVector e = exp(FloatVector.fromArray(S, x, off + i).sub(of(max)));
      e.intoArray(x, off + i);
      sum = added(sum, e);
    }
    return inOrder(sum);
  }

  /** Σ e^(x − max) without changing x; n a multiple of 16. */
  public static float sumExponentials(float[] x, int off, int n, float max) {
    FloatVector sum = FloatVector.zero(S);
    for (int i = 0; i < n; i += V) {
      sum = added(sum, exp(FloatVector.fromArray(S, x, off + i).sub(of(max))));
    }
    return inOrder(sum);
  }

  /** The largest of n values, n a multiple of 16. */
  public static float max(float[] x, int off, int n) {
    FloatVector max = FloatVector.fromArray(S, x, off);
    for (int i = V; i < n; i += V) {
      max = max.max(FloatVector.fromArray(S, x, off + i));
    }
    return max.reduceLanes(VectorOperators.MAX);
  }

  /**
   * SwiGLU: out = silu(gate)·up. A row of {@code in} is n gates and then n ups; n a multiple of 16.
   */
  public static void swiglu(float[] in, int inOff, float[] out, int outOff, int n) {
    for (int i = 0; i < n; i += V) {
      FloatVector g = FloatVector.fromArray(S, in, inOff + i);
      FloatVector u = FloatVector.fromArray(S, in, inOff + n + i);
      g.mul(sigmoid(g)).mul(u).intoArray(out, outOff + i);
    }
  }

  /** Gradient of {@link #swiglu}: overwrites the n gates and n ups with their gradients. */
  public static void swigluGradient(float[] in, int inOff, float[] dOut, int dOff, int n) {
    for (int i = 0; i < n; i += V) {
      FloatVector g = FloatVector.fromArray(S, in, inOff + i);
      FloatVector u = FloatVector.fromArray(S, in, inOff + n + i);
      FloatVector d = FloatVector.fromArray(S, dOut, dOff + i);
      FloatVector s = sigmoid(g);
      FloatVector silu = g.mul(s);
      // d silu/dg = s·(1 + g·(1 − s)) = s + silu·(1 − s)
      FloatVector gateGradient = silu.mul(of(1f).sub(s)).add(s);
      d.mul(u).mul(gateGradient).intoArray(in, inOff + i);
      d.mul(silu).intoArray(in, inOff + n + i);
    }
  }

  // Operations with numbers instead of vectors take the compiler two calls more to look through;
  // where it gives up, every vector becomes an object.
  private static FloatVector of(float x) {
    return FloatVector.broadcast(S, x);
  }

  private static FloatVector sigmoid(FloatVector x) {
    FloatVector one = of(1f);
    return one.div(exp(x.neg()).add(one));
  }

  /**
   * One AdamW step on n elements: decoupled weight decay, bias correction folded into the step
   * size.
   *
   * @param stepSize learning rate·√(1−β₂ᵗ)/(1−β₁ᵗ)
   * @param epsilon ε·√(1−β₂ᵗ), so that the quotient is the textbook's
   * @param decay 1 − learning rate·weight decay
   */
  public static void adamw(
      float[] w,
      float[] g,
      float[] m,
      float[] v,
      int off,
      int n,
      float adamBeta1,
      float adamBeta2,
      float stepSize,
      float epsilon,
      float decay) {
    int i = 0;
    for (; i + V <= n; i += V) {
      int at = off + i;
      FloatVector gr = FloatVector.fromArray(S, g, at);
      FloatVector m1 = FloatVector.fromArray(S, m, at).mul(adamBeta1).add(gr.mul(1 - adamBeta1));
      FloatVector v1 =
          FloatVector.fromArray(S, v, at).mul(adamBeta2).add(gr.mul(gr).mul(1 - adamBeta2));
      m1.intoArray(m, at);
      v1.intoArray(v, at);
      FloatVector step = m1.mul(stepSize).div(v1.sqrt().add(epsilon));
      FloatVector.fromArray(S, w, at).mul(decay).sub(step).intoArray(w, at);
    }
    for (; i < n; i++) {
      int at = off + i;
      m[at] = m[at] * adamBeta1 + g[at] * (1 - adamBeta1);
      v[at] = v[at] * adamBeta2 + g[at] * g[at] * (1 - adamBeta2);
      w[at] = w[at] * decay - m[at] * stepSize / ((float) Math.sqrt(v[at]) + epsilon);
    }
  }

  private static final float LOG2_E = 1.44269504088896341f;
  // ln 2 in two parts, the first exact in few bits, after Cody and Waite.
  private static final float LN2_HIGH = 0.693359375f;
  private static final float LN2_LOW = -2.12194440e-4f;
  // 1.5·2²³: adding it rounds to an integer that then sits in the lowest bits.
  private static final float ROUND = 12582912f;
  // e^−44 is 8e-20: a sum with 1 in it does not feel it, and its product with what is above 1.5e-19
  // is no subnormal number. Those, below 1.2e-38, take processors some hundred cycles.
  private static final float MIN_ARGUMENT = -44f;
  private static final float MAX_ARGUMENT = 88f;

  /**
   * e^x to about 2 units in the last place; exactly 0 below −44. The library's own vector
   * exponential differs between interpreted and compiled code in the last bit, so it cannot be used
   * here.
   */
  private static FloatVector exp(FloatVector x) {
    VectorMask<Float> vanishes = x.compare(VectorOperators.LT, of(MIN_ARGUMENT));
    FloatVector c = x.max(of(MIN_ARGUMENT)).min(of(MAX_ARGUMENT));
    FloatVector t = c.mul(of(LOG2_E)).add(of(ROUND));
    FloatVector n = t.sub(of(ROUND));
    FloatVector r = n.fma(of(-LN2_HIGH), c);
    r = n.fma(of(-LN2_LOW), r);
    FloatVector p = of(1.9875691500e-4f);
    p = p.fma(r, of(1.3981999507e-3f));
    p = p.fma(r, of(8.3334519073e-3f));
    p = p.fma(r, of(4.1665795894e-2f));
    p = p.fma(r, of(1.6666665459e-1f));
    p = p.fma(r, of(5.0000001201e-1f));
    p = p.fma(r.mul(r), r.add(of(1f)));
    IntVector exponent = t.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23).add(0x3f800000);
    return p.mul(exponent.reinterpretAsFloats()).blend(0f, vanishes);
  }
}
