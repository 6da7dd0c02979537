package org.vstar.env.python;

/**
 * numpy's legacy generator, {@code numpy.random.RandomState}: the same numbers from the same seed.
 */
public final class NumpyRandomState {

  private static final long WORDS = 1L << 32;

  private final MersenneTwister twister;

  /**
   * As {@code RandomState(seed)}.
   *
   * @param seed 0 to 2³² − 1
   * @throws IllegalArgumentException for another
   */
  public NumpyRandomState(long seed) {
    if (seed < 0 || seed >= WORDS) {
      throw new IllegalArgumentException("seed " + seed + ", expected 0 to " + (WORDS - 1));
    }
    twister = new MersenneTwister((int) seed);
  }

  /** {@code rand()}: in [0, 1) with 53 bits. */
  public double random() {
    return twister.nextDouble();
  }

  /** {@code randint(n)} for 1 ≤ n. */
  public int below(int n) {
    return (int) below((long) n);
  }

  /** {@code randint(n)} for 1 ≤ n ≤ 2³². */
  public long below(long n) {
    if (n == 1) {
      return 0;
    }
    long mask = -1L >>> Long.numberOfLeadingZeros(n - 1);
    long drawn = twister.next32() & mask;
    while (drawn >= n) {
      drawn = twister.next32() & mask;
    }
    return drawn;
  }
}
