package org.vstar.model.engine.vector;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The sum of terms that threads compute side by side, taken in the terms' order, so that it does
 * not depend on the threads. A thread whose term is done before an earlier one goes on with the
 * next, as long as there is room for it.
 */
final class OrderedSum {

  /** Terms larger than this have no room but one for each thread: 64 MiB. */
  private static final int LARGE = 1 << 24;

  private final float[][] places;
  private final Consumer<float[]> sum;
  private final boolean[] done;

  /** The first term that has not been added. */
  private int next;

  private boolean failed;

  /**
   * A sum of nothing yet.
   *
   * @param places as many as {@link #places} says, each as long as a term
   * @param sum takes a term, one after the other
   */
  OrderedSum(float[][] places, Consumer<float[]> sum) {
    this.places = places;
    this.sum = sum;
    this.done = new boolean[places.length];
  }

  /** How many terms of some size are held at a time. */
  static int places(int threads, long size) {
    return threads == 1 || size > LARGE ? threads : 2 * threads;
  }

  /**
   * Computes a term and adds it, or leaves that to the thread that has an earlier one. Terms have
   * to be begun in their order.
   *
   * @param term its number, from 0
   * @param compute fills an array of zeros
   */
  void add(int term, Consumer<float[]> compute) {
    float[] place = await(term);
    boolean computed = false;
    try {
      Arrays.fill(place, 0);
      compute.accept(place);
      computed = true;
    } finally {
      end(term, computed);
    }
  }

  private synchronized float[] await(int term) {
    try {
      while (term - next >= places.length && !failed) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for an earlier gradient", e);
    }
    if (term - next >= places.length) {
      throw new IllegalStateException("another micro-batch failed");
    }
    return places[term % places.length];
  }

  private synchronized void end(int term, boolean computed) {
    failed |= !computed;
    done[term % places.length] = computed;
    while (done[next % places.length] && !failed) {
      sum.accept(places[next % places.length]);
      done[next % places.length] = false;
      next++;
    }
    notifyAll();
  }
}
