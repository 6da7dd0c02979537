package org.vstar.model.rollout;

import java.util.ArrayList;
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
   * @throws RuntimeException the first failure, after all pieces have ended
   */
  public static void run(int threads, List<? extends Runnable> work) {
    if (threads == 1 || work.size() == 1) {
      work.forEach(Runnable::run);
      return;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> futures = new ArrayList<>();
      work.forEach(w -> futures.add(pool.submit(w)));
      for (Future<?> future : futures) {
        future.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
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
