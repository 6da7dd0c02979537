package org.vstar.spark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The most memory that one process of a command had in use, its Java or Python: {@code VmHWM} of
 * Linux, looked at twice a second.
 */
final class PeakMemory {

  private static final long PAUSE_MILLIS = 500;

  private final Process command;
  private final Thread watch;
  private volatile long most;

  private PeakMemory(Process command) {
    this.command = command;
    watch = new Thread(this::watch, "peak-memory");
    watch.setDaemon(true);
    watch.start();
  }

  /** Watches a command and all that it starts. */
  static PeakMemory of(Process command) {
    return new PeakMemory(command);
  }

  private void watch() {
    while (command.isAlive()) {
      try (Stream<ProcessHandle> all =
          Stream.concat(Stream.of(command.toHandle()), command.descendants())) {
        all.forEach(process -> most = Math.max(most, kilobytes(process.pid())));
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static long kilobytes(long process) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + process + "/status"))) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException | java.io.UncheckedIOException e) {
      // It has just ended, or this is no Linux.
      return 0;
    }
  }

  /** In GB, once the command has ended; 0 where the system does not say it. */
  double most() throws InterruptedException {
    watch.join();
    return most * 1024 / 1e9;
  }
}
