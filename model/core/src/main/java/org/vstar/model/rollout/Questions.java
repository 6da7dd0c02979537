package org.vstar.model.rollout;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Asks environments, one question at a time. Where an answer may take only so long, another thread
 * asks; one that gets no answer is left behind, since nothing can stop it for sure.
 */
final class Questions implements AutoCloseable {

  private static final String THREAD = "vstar-environment";

  private final int seconds;
  private ExecutorService thread;
  private Thread running;

  /**
   * Nothing is asked yet.
   *
   * @param seconds how long an answer may take; 0 is without end
   */
  Questions(int seconds) {
    this.seconds = seconds;
    this.thread = seconds == 0 ? null : begin();
  }

  /** Thrown where this thread is to end; the environment has not failed. */
  static final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Interrupted(Throwable cause) {
      super("interrupted while an environment was asked", cause);
    }
  }

  private ExecutorService begin() {
    return Executors.newSingleThreadExecutor(
        work -> {
          running = new Thread(work, THREAD);
          running.setDaemon(true);
          return running;
        });
  }

  /**
   * Asks.
   *
   * @throws IllegalStateException if there is no answer in time, with the place where the
   *     environment is
   * @throws Interrupted if this thread is to end
   */
  <T> T ask(Supplier<T> question) {
    try {
      return seconds == 0 ? question.get() : inTime(question);
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw new Interrupted(e);
      }
      throw e;
    }
  }

  private <T> T inTime(Supplier<T> question) {
    Future<T> answer = thread.submit(question::get);
    try {
      return answer.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      IllegalStateException late =
          new IllegalStateException("no answer within " + seconds + " s", e);
      late.setStackTrace(running.getStackTrace());
      thread.shutdownNow();
      thread = begin();
      throw late;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) e.getCause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Interrupted(e);
    }
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }
}
