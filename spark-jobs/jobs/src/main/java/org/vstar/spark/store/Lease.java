package org.vstar.spark.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;

/**
 * A lock on a store that has none: a thing that says who has it, which the holder writes anew every
 * few seconds. One that nobody has written for a while is free: its holder was killed.
 *
 * <p>Whoever takes it writes, waits, and looks whether its own words are still there, so that of
 * two that take it at once one gives way. That holds as long as a write takes less than the wait.
 * Times are the store's own, so that clocks need not agree. A holder that was cut off from the
 * store for long finds that it has lost the lock, with {@link #requireHeld}, before it commits.
 */
final class Lease implements RunStore.Lock {

  private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

  /** Hadoop's setting that says after how long without a word a lock is free. */
  static final String FREE_SECONDS = "vstar.lock.seconds";

  private static final String THREAD = "vstar-lease";

  /** A second look at a lock that is not there comes after this part of what a taker waits. */
  private static final int LOOKS = 8;

  private final Store store;
  private final String name;
  private final String what;
  private final String id = UUID.randomUUID().toString();
  private final String words;
  private final Timing timing;
  private final ScheduledExecutorService beats;
  private volatile String lost;

  /**
   * How long things take.
   *
   * @param beat from one write to the next
   * @param free how old the last write of a holder that was killed is, at least
   * @param settle how long a taker waits before it looks
   */
  record Timing(Duration beat, Duration free, Duration settle) {
    private static final int LEAST_SECONDS = 12;
    private static final int BEATS = 6;
    private static final Duration SETTLE = Duration.ofSeconds(2);

    /**
     * That of a lock which is free after some seconds without a word.
     *
     * @throws InvalidInputException if these are too few for a slow store
     */
    static Timing free(int seconds) {
      InvalidInputException.require(
          seconds >= LEAST_SECONDS,
          "spark.hadoop." + FREE_SECONDS,
          seconds,
          "at least " + LEAST_SECONDS);
      Duration free = Duration.ofSeconds(seconds);
      return new Timing(free.dividedBy(BEATS), free, SETTLE);
    }
  }

  private Lease(Store store, String name, String what, String holder, Timing timing) {
    this.store = store;
    this.name = name;
    this.what = what;
    this.timing = timing;
    this.words = holder + ", " + process();
    this.beats =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, THREAD);
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Takes a lock.
   *
   * @param name of the thing that says who has it
   * @param what is locked, for the message
   * @param holder who takes it
   * @param timeout how long to wait for another to give it up
   * @throws InvalidInputException saying who holds it, if another has it
   */
  static Lease take(
      Store store, String name, String what, String holder, Duration timeout, Timing timing)
      throws IOException {
    Lease lease = new Lease(store, name, what, holder, timing);
    long end = System.nanoTime() + timeout.toNanos();
    while (!lease.tryTake()) {
      if (System.nanoTime() - end >= 0) {
        throw lease.held();
      }
      sleep(timing.settle);
    }
    lease.beats.scheduleAtFixedRate(
        lease::beat, timing.beat.toMillis(), timing.beat.toMillis(), TimeUnit.MILLISECONDS);
    return lease;
  }

  private boolean tryTake() throws IOException {
    if (!text().isEmpty() && age().compareTo(timing.free) < 0) {
      return false;
    }
    write();
    sleep(timing.settle);
    return isOwn();
  }

  /** How long ago the holder wrote, by the store's clock. */
  private Duration age() throws IOException {
    String probe = name + "-" + id;
    store.publish(probe, out -> out.write(0));
    try {
      return Duration.between(store.modified(name), store.modified(probe));
    } catch (FileNotFoundException e) {
      return timing.free;
    } finally {
      store.delete(probe);
    }
  }

  private InvalidInputException held() throws IOException {
    String[] lines = text().split("\n");
    return new InvalidInputException(
        String.format(
            Locale.ROOT,
            "%s is being written by %s, who last said so %d s ago: wait until it ends (if it was"
                + " killed, it is free after %d s without a word), or use another --out",
            what,
            lines.length > 1 ? lines[1] : "another job",
            Math.max(0, age().toSeconds()),
            timing.free.toSeconds()));
  }

  private void write() throws IOException {
    byte[] text = (id + "\n" + words + "\n").getBytes(StandardCharsets.UTF_8);
    store.publish(name, out -> out.write(text));
  }

  private boolean isOwn() throws IOException {
    return text().startsWith(id + "\n");
  }

  /**
   * Empty if nobody has it. Some file systems delete what is replaced before they rename: what is
   * not there for a moment is looked for again.
   */
  private String text() throws IOException {
    String text = textNow();
    if (text.isEmpty()) {
      sleep(timing.settle.dividedBy(LOOKS));
      text = textNow();
    }
    return text;
  }

  private String textNow() throws IOException {
    try (InputStream in = store.read(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      return "";
    }
  }

  private void beat() {
    try {
      if (!isOwn()) {
        lost = "another job has taken it";
        beats.shutdown();
      } else if (lost == null) {
        write();
      }
    } catch (IOException | RuntimeException e) {
      // An exception would end the beats. The next one tries again; whoever commits looks for
      // itself.
      LOG.warn("cannot renew the lock on {}: {}", what, e.getMessage());
    }
  }

  @Override
  public void requireHeld() {
    try {
      if (lost == null && !isOwn()) {
        lost = "another job has taken it";
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(name), e);
    }
    if (lost != null) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "this job no longer has the right to write %s: %s; nothing more is written",
              what,
              lost));
    }
  }

  @Override
  public void close() {
    // A beat in the midst of its write ends by itself: one that was interrupted would leave half a
    // write behind.
    beats.shutdown();
    try {
      if (!beats.awaitTermination(timing.free.toMillis(), TimeUnit.MILLISECONDS)) {
        leave("the store does not answer");
      } else if (lost == null && isOwn()) {
        store.delete(name);
      }
    } catch (IOException e) {
      leave(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void leave(String why) {
    LOG.warn(
        "cannot give up the lock on {} ({}): it is free after {} s",
        what,
        why,
        timing.free.toSeconds());
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it waited for a lock", e);
    }
  }

  private static String process() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "a machine without a name";
    }
    return String.format(
        Locale.ROOT,
        "process %d on %s, since %s",
        ProcessHandle.current().pid(),
        host,
        Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }
}
