package org.vstar.common;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Locks that the operating system keeps: it takes them back when a process ends, so that nothing
 * has to be cleaned up after a kill. On a network's file system they hold between machines if the
 * file system has locks at all; one that has none is refused.
 */
public final class FileLocks {

  private static final long PAUSE_NANOS = 20_000_000;

  /**
   * What this process has. The system's locks belong to a process as a whole, and are lost when it
   * closes any channel on the file: so a second taker within the process must not even open it.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private FileLocks() {}

  /**
   * Takes a lock.
   *
   * @param file stays when the lock is given up; says who has it
   * @param what is locked, for the message
   * @param holder who takes it
   * @param timeout how long to wait for it
   * @throws InvalidInputException saying who holds it, if another process or thread has it
   */
  public static RunStore.Lock take(Path file, String what, String holder, Duration timeout)
      throws IOException {
    Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
    Path real = folder.toRealPath().resolve(file.getFileName());
    long end = System.nanoTime() + timeout.toNanos();
    while (true) {
      FileChannel channel = OWN.add(real) ? lock(real) : null;
      if (channel != null) {
        try {
          write(channel, holder + ", " + process() + "\n");
        } catch (IOException e) {
          release(real, channel);
          throw e;
        }
        return () -> release(real, channel);
      }
      if (System.nanoTime() - end >= 0) {
        throw held(real, what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Null if another process has it; this one has no claim to it then. */
  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      locked = channel.tryLock() != null;
    } catch (IOException e) {
      throw new IOException("cannot lock " + file + " (" + e.getMessage() + ")", e);
    } finally {
      if (!locked) {
        if (channel != null) {
          channel.close();
        }
        OWN.remove(file);
      }
    }
    return locked ? channel : null;
  }

  private static void write(FileChannel channel, String line) throws IOException {
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
  }

  private static String process() {
    return String.format(
        Locale.ROOT,
        "process %d on %s, since %s",
        ProcessHandle.current().pid(),
        host(),
        Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "a machine without a name";
    }
  }

  private static InvalidInputException held(Path file, String what) throws IOException {
    String by = OWN.contains(file) ? "another job of this process" : Files.readString(file).strip();
    return new InvalidInputException(
        what
            + " is being written by "
            + (by.isBlank() ? "another job" : by)
            + ": wait until it ends, or use another --out");
  }

  private static void release(Path file, FileChannel channel) {
    try (channel) {
      channel.truncate(0);
    } catch (IOException e) {
      // The lock is gone all the same; what stays is a line that nobody reads.
    } finally {
      OWN.remove(file);
    }
  }
}
