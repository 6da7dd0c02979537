package org.vstar.spark.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.agent.Shoppers;
import org.vstar.spark.bench.WebShopBench;

/**
 * Plays episodes at full speed for a while, {@code WebShopSoak MINUTES DIR}, and watches what a
 * process can run out of: heap after a collection, threads, open files. Exits with 1 if any of them
 * grew.
 */
final class WebShopSoak {

  private static final int TURNS = 15;
  private static final int SNAPSHOTS = 12;

  /** What the heap may move by between snapshots and still be called flat. */
  private static final double HEAP_TOLERANCE_MB = 8;

  private WebShopSoak() {}

  /** What the process holds at one time. */
  private record Snapshot(double minutes, long episodes, double heapMb, int threads, long files) {

    /** Looks while nobody plays: at a gigabyte a second, garbage would be most of what is seen. */
    static Snapshot now(long startNanos, long episodes, Lock pause) {
      pause.lock();
      long heap;
      try {
        System.gc();
        heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      } finally {
        pause.unlock();
      }
      var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Snapshot(
          (System.nanoTime() - startNanos) / 60e9,
          episodes,
          heap / 1e6,
          ManagementFactory.getThreadMXBean().getThreadCount(),
          system.getOpenFileDescriptorCount());
    }

    void print() {
      System.out.printf(
          Locale.ROOT,
          "%7.2f min %,13d episodes  heap %7.1f MB  %3d threads  %4d files%n",
          minutes,
          episodes,
          heapMb,
          threads,
          files);
    }
  }

  /** Plays for some minutes; whether what the process holds was flat. */
  static boolean run(double minutes, Path folder) throws InterruptedException {
    WebShopEnvironment shop = WebShopBench.open(folder);
    List<Task> tasks = new ArrayList<>(shop.tasks(Split.TRAIN));
    tasks.addAll(shop.tasks(Split.TEST));
    long start = System.nanoTime();
    long end = start + (long) (minutes * 60e9);
    AtomicLong episodes = new AtomicLong();
    ReadWriteLock pause = new ReentrantReadWriteLock(true);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread worker =
          new Thread(
              () -> {
                try {
                  play(shop, tasks, episodes, end, pause.readLock());
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      worker.setDaemon(true);
      worker.start();
      workers.add(worker);
    }
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < SNAPSHOTS; i++) {
      Thread.sleep((long) (minutes * 60_000 / (SNAPSHOTS + 1)));
      snapshots.add(Snapshot.now(start, episodes.get(), pause.writeLock()));
      snapshots.get(i).print();
    }
    for (Thread worker : workers) {
      worker.join();
    }
    if (failure.get() != null) {
      throw new IllegalStateException("an episode failed", failure.get());
    }
    return flat(snapshots);
  }

  private static void play(
      WebShopEnvironment shop, List<Task> tasks, AtomicLong episodes, long end, Lock turn) {
    while (System.nanoTime() < end) {
      long n = episodes.getAndIncrement();
      turn.lock();
      try {
        Shoppers.scan(TURNS).play(shop, tasks.get((int) (n % tasks.size())), n);
      } finally {
        turn.unlock();
      }
    }
  }

  /**
   * Whether the last quarter comes back to what the first quarter's end held. What leaks never
   * comes back; a file that the JVM has open at the moment of one look does not count.
   */
  private static boolean flat(List<Snapshot> snapshots) {
    Snapshot before = snapshots.get(SNAPSHOTS / 4);
    List<Snapshot> last = snapshots.subList(SNAPSHOTS - SNAPSHOTS / 4, SNAPSHOTS);
    boolean flat =
        before.episodes > 0
            && last.stream().anyMatch(s -> s.heapMb <= before.heapMb + HEAP_TOLERANCE_MB)
            && last.stream().anyMatch(s -> s.threads <= before.threads)
            && last.stream().anyMatch(s -> s.files <= before.files);
    System.out.println(flat ? "flat" : "error: the process holds more and more");
    return flat;
  }
}
