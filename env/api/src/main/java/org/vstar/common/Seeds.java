package org.vstar.common;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Derives the seed of every purpose from the one that the config names. A derived seed is a content
 * hash of its parent, of the purpose that its draws serve, written out, and of what they are for.
 * So streams of different purposes are independent, and a number that is drawn for one says nothing
 * of a number that is drawn for another.
 *
 * <p>A seed that is passed on is a parent, never a stream: whoever draws from it opens a stream of
 * its own with {@link #random}. A loop over many subjects of one purpose may take their parents
 * from that purpose's stream. Java Flight Recorder shows each derivation as an event {@code
 * org.vstar.Seed} where that event is enabled.
 */
public final class Seeds {

  private Seeds() {}

  /**
   * A seed of its own.
   *
   * @param seed the parent
   * @param purpose what is drawn, for example {@code environment} or {@code tokens}
   * @param subject what it is drawn for, for example a task's id and the number of a sample; texts
   *     and whole numbers
   */
  public static long derive(long seed, String purpose, Object... subject) {
    ContentHash hash = new ContentHash().add("seed").add(seed).add(purpose);
    for (Object part : subject) {
      hash.add(part.toString());
    }
    long derived = hash.number();
    SeedEvent event = new SeedEvent();
    if (event.shouldCommit()) {
      event.parent = seed;
      event.purpose = purpose;
      event.subject = Arrays.toString(subject);
      event.seed = derived;
      event.commit();
    }
    return derived;
  }

  /** A stream of its own; the parameters are those of {@link #derive}. */
  public static SplittableRandom random(long seed, String purpose, Object... subject) {
    return new SplittableRandom(derive(seed, purpose, subject));
  }

  /** Shuffles a list in place: every order is equally likely. */
  public static void shuffle(List<?> list, SplittableRandom random) {
    for (int i = list.size(); i > 1; i--) {
      Collections.swap(list, i - 1, random.nextInt(i));
    }
  }
}
