package org.vstar.spark.store;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.security.AccessControlException;

/**
 * Retries calls of a store with exponential backoff. An answer, for example that a file is not
 * there, is not retried.
 *
 * @param times attempts, at most
 * @param pauseMillis before the second attempt; it doubles before each further one
 */
record Backoff(int times, long pauseMillis) {

  /** For a disk of this machine, which has nothing new to say. */
  static final Backoff ONCE = new Backoff(1, 0);

  /** For stores behind a network. Their clients try again too; this is for what they give up on. */
  static final Backoff OVER_A_NETWORK = new Backoff(6, 200);

  /** What is asked. */
  @FunctionalInterface
  interface Question<T> {
    T ask() throws IOException;
  }

  <T> T ask(Question<T> question) throws IOException {
    long pause = pauseMillis;
    for (int left = times; ; left--) {
      try {
        return question.ask();
      } catch (FileNotFoundException
          | AccessDeniedException
          | AccessControlException
          | FileAlreadyExistsException
          | org.apache.hadoop.fs.FileAlreadyExistsException
          | UnsupportedFileSystemException
          | EOFException e) {
        throw e;
      } catch (IOException e) {
        if (left <= 1 || isInterrupt(e)) {
          throw e;
        }
      }
      pause(pause);
      pause *= 2;
    }
  }

  /** A time-out of a connection is of the same class, and is worth another try. */
  private static boolean isInterrupt(IOException e) {
    return e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException);
  }

  private static void pause(long millis) throws InterruptedIOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while it waited for a store");
    }
  }
}
