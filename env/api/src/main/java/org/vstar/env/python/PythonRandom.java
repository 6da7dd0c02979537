package org.vstar.env.python;

import java.util.List;

/**
 * CPython's {@code random.Random}: the same numbers from the same seed (Mersenne Twister MT19937,
 * Matsumoto and Nishimura 1998, with Python's ways of drawing from it).
 */
public final class PythonRandom {

  private static final int N = 624;
  private static final int M = 397;
  private static final int MATRIX = 0x9908b0df;
  private static final int UPPER = 0x80000000;
  private static final int LOWER = 0x7fffffff;
  private static final double TWO_TO_53 = 9007199254740992.0;

  private final int[] state = new int[N];
  private int next = N;

  /** As {@code random.seed(seed)} for a seed of 0 to 2³² − 1. */
  public PythonRandom(long seed) {
    if (seed < 0 || seed > 0xffffffffL) {
      throw new IllegalArgumentException("seed " + seed + ", expected 0 to 4294967295");
    }
    seed(19650218);
    int key = (int) seed;
    int i = 1;
    for (int k = N; k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1664525)) + key;
      i = following(i);
    }
    for (int k = N - 1; k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1566083941)) - i;
      i = following(i);
    }
    state[0] = UPPER;
  }

  private int following(int i) {
    if (i + 1 < N) {
      return i + 1;
    }
    state[0] = state[N - 1];
    return 1;
  }

  private void seed(int s) {
    state[0] = s;
    for (int i = 1; i < N; i++) {
      state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
  }

  private int next32() {
    if (next == N) {
      for (int k = 0; k < N; k++) {
        int y = (state[k] & UPPER) | (state[(k + 1) % N] & LOWER);
        state[k] = state[(k + M) % N] ^ (y >>> 1) ^ ((y & 1) == 0 ? 0 : MATRIX);
      }
      next = 0;
    }
    int y = state[next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return y ^ (y >>> 18);
  }

  /** {@code getrandbits(bits)} for 1 to 32 bits. */
  public long bits(int bits) {
    return (next32() & 0xffffffffL) >>> (32 - bits);
  }

  /** {@code random()}: in [0, 1) with 53 bits. */
  public double random() {
    long a = bits(27);
    long b = bits(26);
    return (a * 67108864.0 + b) / TWO_TO_53;
  }

  /** {@code uniform(low, high)}. */
  public double uniform(double low, double high) {
    return low + (high - low) * random();
  }

  /** {@code randrange(n)} for n ≥ 1. */
  public int below(int n) {
    int bits = 32 - Integer.numberOfLeadingZeros(n);
    long drawn = bits(bits);
    while (drawn >= n) {
      drawn = bits(bits);
    }
    return (int) drawn;
  }

  /** {@code shuffle(list)}, in place. */
  public void shuffle(List<?> list) {
    for (int i = list.size() - 1; i > 0; i--) {
      java.util.Collections.swap(list, i, below(i + 1));
    }
  }

  /** {@code sample(population, 2)} of 2 to 4 elements. */
  public double[] samplePair(double[] population) {
    double[] pool = population.clone();
    int first = below(pool.length);
    double one = pool[first];
    pool[first] = pool[pool.length - 1];
    return new double[] {one, pool[below(pool.length - 1)]};
  }
}
