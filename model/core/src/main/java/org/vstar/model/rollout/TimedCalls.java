package org.vstar.model.rollout;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Calls an environment, one call at a time, with a timeout. A thread of its own makes the call; one
 * that does not return in time is abandoned, since Java cannot stop it.
 */
final class TimedCalls implements AutoCloseable {

  private static final String THREAD = "vstar-environment";

  private final int seconds;
  private ExecutorService thread;
  private Thread running;

  /**
   * Makes no call yet.
   *
   * @param seconds the timeout; 0 means none
   */
  TimedCalls(int seconds) {
    this.seconds = seconds;
    this.thread = seconds == 0 ? null : begin();
  }

  /** Thrown where this thread is to end; the environment has not failed. */
  static final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Interrupted(Throwable cause) {
      super("interrupted in a call of an environment", cause);
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
   * Makes a call.
   *
   * @throws IllegalStateException after the timeout, with the stack trace of the call
   * @throws Interrupted if this thread is interrupted
   */
  <T> T call(Supplier<T> call) {
    try {
      return seconds == 0 ? call.get() : inTime(call);
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw new Interrupted(e);
      }
      throw e;
    }
  }

  private <T> T inTime(Supplier<T> call) {
    Future<T> answer = thread.submit(call::get);
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
