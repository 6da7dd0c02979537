package org.vstar.common;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs pieces of work on a number of threads and waits for all of them. */
public final class Parallel {

  private Parallel() {}

  /**
   * Runs the work; on one thread it runs on the caller's.
   *
   * @throws RuntimeException the first failure in the order of the work, after all pieces have
   *     ended
   */
  public static void run(int threads, List<? extends Runnable> work) {
    if (threads == 1 || work.size() == 1) {
      work.forEach(Runnable::run);
      return;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (Future<Object> ended : pool.invokeAll(work.stream().map(Executors::callable).toList())) {
        ended.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for work", e);
    } finally {
      pool.shutdownNow();
    }
  }
}
