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
 * Asks a store again that did not answer: networks and servers do so now and then. What a store
 * answers, for example that a file is not there, is not asked twice.
 *
 * @param times how often, at most
 * @param pauseMillis before the second time; before each further one twice as long
 */
record Tries(int times, long pauseMillis) {

  /** For a disk of this machine, which has nothing new to say. */
  static final Tries ONCE = new Tries(1, 0);

  /** For stores behind a network. Their clients try again too; this is for what they give up on. */
  static final Tries OVER_A_NETWORK = new Tries(6, 200);

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
