package org.vstar.env.python;

import java.math.BigInteger;

/**
 * MT19937 (Matsumoto and Nishimura 1998), as CPython's {@code random} and numpy's legacy generator
 * use it; they differ in how they seed it and draw from it.
 */
final class MersenneTwister {

  private static final int N = 624;
  private static final int M = 397;
  private static final int MATRIX = 0x9908b0df;
  private static final int UPPER = 0x80000000;
  private static final int LOWER = 0x7fffffff;
  private static final int ARRAY_SEED = 19650218;
  private static final double TWO_TO_26 = 67108864.0;
  private static final double TWO_TO_53 = 9007199254740992.0;

  private final int[] state = new int[N];
  private int next = N;

  /** Seeded by one word: {@code init_genrand}. */
  MersenneTwister(int seed) {
    state[0] = seed;
    for (int i = 1; i < N; i++) {
      state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
  }

  /** Seeded by some words, at least one: {@code init_by_array}. */
  MersenneTwister(int[] key) {
    this(ARRAY_SEED);
    int i = 1;
    int j = 0;
    for (int k = Math.max(N, key.length); k > 0; k--) {
      state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >>> 30)) * 1664525)) + key[j] + j;
      i = following(i);
      j = (j + 1) % key.length;
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

  /** The 32-bit words of a number of 0 or more, the least significant first; 0 is one word. */
  static int[] words(BigInteger number) {
    int[] words = new int[Math.max(1, (number.bitLength() + 31) / 32)];
    for (int i = 0; i < words.length; i++) {
      words[i] = number.shiftRight(32 * i).intValue();
    }
    return words;
  }

  /** 32 random bits. */
  int next32() {
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

  /** In [0, 1) with 53 bits. */
  double nextDouble() {
    long a = (next32() & 0xffffffffL) >>> 5;
    long b = (next32() & 0xffffffffL) >>> 6;
    return (a * TWO_TO_26 + b) / TWO_TO_53;
  }
}
