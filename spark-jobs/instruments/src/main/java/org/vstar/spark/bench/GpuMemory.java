package org.vstar.spark.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The most memory of a GPU that is in use, by any process. */
final class GpuMemory {

  private final Process poll;
  private final Thread reader;
  private volatile long most;

  private GpuMemory(Process poll) {
    this.poll = poll;
    reader = new Thread(this::read, "gpu-memory");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Watches a GPU, if its driver's tool is there.
   *
   * @param device as {@code cuda:0}
   */
  static Optional<GpuMemory> watch(String device) {
    String number = device.substring(device.indexOf(':') + 1);
    try {
      return Optional.of(
          new GpuMemory(
              new ProcessBuilder(
                      "nvidia-smi",
                      "-i",
                      number,
                      "--query-gpu=memory.used",
                      "--format=csv,noheader,nounits",
                      "--loop-ms=100")
                  .start()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private void read() {
    try (BufferedReader lines = poll.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(line -> most = Math.max(most, Long.parseLong(line.strip())));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Ends the watch. In MiB. */
  long most() throws InterruptedException {
    poll.destroy();
    reader.join();
    return most;
  }
}
