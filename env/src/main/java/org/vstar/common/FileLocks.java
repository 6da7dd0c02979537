package org.vstar.common;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Locks that the operating system keeps: it takes them back when a process ends, so that nothing
 * has to be cleaned up after a kill. On a network's file system they hold between machines if the
 * file system has locks at all; one that has none is refused.
 */
public final class FileLocks {

  private static final long PAUSE_NANOS = 20_000_000;

  private FileLocks() {}

  /**
   * Takes a lock.
   *
   * @param file stays when the lock is given up; says who has it
   * @param what is locked, for the message
   * @param holder who takes it
   * @param patience how long to wait for it
   * @throws InvalidInputException saying who holds it, if another process or thread has it
   */
  public static RunStore.Lock take(Path file, String what, String holder, Duration patience)
      throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      long end = System.nanoTime() + patience.toNanos();
      while (!lock(channel)) {
        if (System.nanoTime() - end >= 0) {
          throw held(channel, what);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      String line = holder + ", " + process() + "\n";
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      channel.close();
      throw new IOException("cannot lock " + file + " (" + e.getMessage() + ")", e);
    }
    return () -> release(channel);
  }

  private static boolean lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      // Another thread of this process has it.
      return false;
    }
  }

  private static String process() {
    return String.format(
        "process %d on %s, since %s",
        ProcessHandle.current().pid(), host(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "a machine without a name";
    }
  }

  private static InvalidInputException held(FileChannel channel, String what) throws IOException {
    try (channel) {
      ByteBuffer line = ByteBuffer.allocate(500);
      channel.read(line, 0);
      String by = new String(line.array(), 0, line.position(), StandardCharsets.UTF_8);
      return new InvalidInputException(
          what
              + " is being written by "
              + (by.isBlank() ? "another job" : by)
              + ": wait until it ends, or use another --out");
    }
  }

  private static void release(FileChannel channel) {
    try (channel) {
      channel.truncate(0);
    } catch (IOException e) {
      // The lock is gone all the same; what stays is a line that nobody reads.
    }
  }
}
