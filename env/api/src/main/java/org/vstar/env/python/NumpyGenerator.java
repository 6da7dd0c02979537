package org.vstar.env.python;

import java.math.BigInteger;

/**
 * numpy's {@code Generator(PCG64(SeedSequence(seed)))}: the same numbers from the same seed (PCG
 * XSL-RR 128/64, O'Neill 2014).
 */
public final class NumpyGenerator {

  private static final int POOL = 4;
  private static final int INITIAL_A = 0x43b0d7e5;
  private static final int MULTIPLIER_A = 0x931e8875;
  private static final int INITIAL_B = 0x8b51f9dd;
  private static final int MULTIPLIER_B = 0x58f38ded;
  private static final int MIX_LEFT = 0xca01f9dd;
  private static final int MIX_RIGHT = 0x4973f715;
  private static final long MULTIPLIER_HIGH = 0x2360ED051FC65DA4L;
  private static final long MULTIPLIER_LOW = 0x4385DF649FCCF645L;
  private static final double TWO_TO_MINUS_53 = 0x1.0p-53;
  private static final long WORD = 0xffffffffL;

  private final long incrementHigh;
  private final long incrementLow;
  private long high;
  private long low;
  private boolean kept;
  private int half;

  /** Seeded by 64 bits, as a number of 0 or more. */
  public NumpyGenerator(long seed) {
    this(new BigInteger(Long.toUnsignedString(seed)));
  }

  /**
   * Seeded by a number of any length.
   *
   * @throws IllegalArgumentException for a negative one
   */
  public NumpyGenerator(BigInteger seed) {
    if (seed.signum() < 0) {
      throw new IllegalArgumentException("seed " + seed + ", expected 0 or more");
    }
    long[] words = new SeedSequence(MersenneTwister.words(seed)).longs(4);
    incrementHigh = words[2] << 1 | words[3] >>> 63;
    incrementLow = words[3] << 1 | 1;
    step();
    add(words[0], words[1]);
    step();
  }

  /** Spreads a seed over as many words as are asked for. */
  private static final class SeedSequence {
    private final int[] pool = new int[POOL];
    private int hash = INITIAL_A;

    SeedSequence(int[] entropy) {
      for (int i = 0; i < POOL; i++) {
        pool[i] = hashed(i < entropy.length ? entropy[i] : 0);
      }
      for (int from = 0; from < POOL; from++) {
        for (int to = 0; to < POOL; to++) {
          if (from != to) {
            pool[to] = mixed(pool[to], hashed(pool[from]));
          }
        }
      }
      for (int i = POOL; i < entropy.length; i++) {
        for (int to = 0; to < POOL; to++) {
          pool[to] = mixed(pool[to], hashed(entropy[i]));
        }
      }
    }

    private int hashed(int value) {
      int v = value ^ hash;
      hash *= MULTIPLIER_A;
      v *= hash;
      return v ^ v >>> 16;
    }

    private static int mixed(int x, int y) {
      int mixed = MIX_LEFT * x - MIX_RIGHT * y;
      return mixed ^ mixed >>> 16;
    }

    long[] longs(int count) {
      long[] longs = new long[count];
      int out = INITIAL_B;
      for (int i = 0; i < 2 * count; i++) {
        int v = pool[i % POOL] ^ out;
        out *= MULTIPLIER_B;
        v *= out;
        v ^= v >>> 16;
        longs[i / 2] |= (v & WORD) << 32 * (i % 2);
      }
      return longs;
    }
  }

  private void step() {
    long productHigh =
        Math.multiplyHigh(low, MULTIPLIER_LOW)
            + ((low >> 63) & MULTIPLIER_LOW)
            + ((MULTIPLIER_LOW >> 63) & low)
            + high * MULTIPLIER_LOW
            + low * MULTIPLIER_HIGH;
    low = low * MULTIPLIER_LOW;
    high = productHigh;
    add(incrementHigh, incrementLow);
  }

  private void add(long moreHigh, long moreLow) {
    long sum = low + moreLow;
    high += moreHigh + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
    low = sum;
  }

  /** 64 random bits. */
  public long bits64() {
    step();
    return Long.rotateRight(high ^ low, (int) (high >>> 58));
  }

  /** 32 random bits; half of 64 is kept for the next. */
  public int bits32() {
    if (kept) {
      kept = false;
      return half;
    }
    long drawn = bits64();
    kept = true;
    half = (int) (drawn >>> 32);
    return (int) drawn;
  }

  /** {@code random()}: in [0, 1) with 53 bits. */
  public double random() {
    return (bits64() >>> 11) * TWO_TO_MINUS_53;
  }

  /** {@code integers(n)} for 1 ≤ n. */
  public int below(int n) {
    return (int) below((long) n);
  }

  /** {@code integers(n)} for n from 1 to 2³² − 1. */
  public long below(long n) {
    if (n == 1) {
      return 0;
    }
    long product = (bits32() & WORD) * n;
    if ((product & WORD) < n) {
      long least = ((1L << 32) - n) % n;
      while ((product & WORD) < least) {
        product = (bits32() & WORD) * n;
      }
    }
    return product >>> 32;
  }
}
