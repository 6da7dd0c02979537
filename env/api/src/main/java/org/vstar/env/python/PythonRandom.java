package org.vstar.env.python;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** CPython's {@code random.Random}: the same numbers from the same seed. */
public final class PythonRandom {

  private static final int WORD = 32;

  /** Up to so many elements {@code sample} draws from a pool of all of them. */
  private static final int LARGEST_POOL = 21;

  private final MersenneTwister twister;

  /** As {@code random.seed(seed)}; negative seeds are those of their amounts. */
  public PythonRandom(long seed) {
    this(BigInteger.valueOf(seed));
  }

  /** As {@code random.seed(seed)} for a seed of any length. */
  public PythonRandom(BigInteger seed) {
    twister = new MersenneTwister(MersenneTwister.words(seed.abs()));
  }

  /** {@code getrandbits(bits)} for 1 to 32 bits. */
  public long bits(int bits) {
    return (twister.next32() & 0xffffffffL) >>> (WORD - bits);
  }

  /** {@code getrandbits(bits)} for any number of bits from 1. */
  public BigInteger manyBits(int bits) {
    BigInteger drawn = BigInteger.ZERO;
    for (int from = 0; from < bits; from += WORD) {
      BigInteger word = BigInteger.valueOf(bits(Math.min(WORD, bits - from)));
      drawn = drawn.or(word.shiftLeft(from));
    }
    return drawn;
  }

  /** {@code random()}: in [0, 1) with 53 bits. */
  public double random() {
    return twister.nextDouble();
  }

  /** {@code uniform(low, high)}. */
  public double uniform(double low, double high) {
    return low + (high - low) * random();
  }

  /** {@code randrange(n)} for n ≥ 1. */
  public int below(int n) {
    int bits = WORD - Integer.numberOfLeadingZeros(n);
    long drawn = bits(bits);
    while (drawn >= n) {
      drawn = bits(bits);
    }
    return (int) drawn;
  }

  /** {@code randint(low, high)}, both ends included. */
  public int between(int low, int high) {
    return low + below(high - low + 1);
  }

  /** {@code shuffle(list)}, in place. */
  public void shuffle(List<?> list) {
    for (int i = list.size() - 1; i > 0; i--) {
      Collections.swap(list, i, below(i + 1));
    }
  }

  /**
   * {@code sample(population, k)} of at most 21 elements; of more Python draws otherwise.
   *
   * @throws IllegalArgumentException if there are more, or fewer than k
   */
  public <T> List<T> sample(List<T> population, int k) {
    int n = population.size();
    if (n > LARGEST_POOL || k > n) {
      throw new IllegalArgumentException("a sample of " + k + " of " + n + " elements");
    }
    List<T> pool = new ArrayList<>(population);
    List<T> drawn = new ArrayList<>();
    for (int i = 0; i < k; i++) {
      int at = below(n - i);
      drawn.add(pool.get(at));
      pool.set(at, pool.get(n - i - 1));
    }
    return drawn;
  }
}
