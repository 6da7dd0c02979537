package org.vstar.spark.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;

/**
 * What a job asks of its driver and how evenly it uses its executors: for {@code
 * spark.extraListeners}. At the end it prints of each long stage when it began, which share of the
 * cores' time was without work, and which share of it was spent waiting for the last tasks when
 * none was left to begin; and the driver's heap after collections.
 */
public final class JobWatch extends SparkListener {

  /** Shorter stages are not told. */
  private static final long LONG_MILLIS = 2_000;

  private final long start = System.currentTimeMillis();
  private final Map<Integer, Stage> running = new HashMap<>();
  private final Map<String, Integer> cores = new HashMap<>();
  private final List<String> lines = new ArrayList<>();
  private final List<Long> heap = new ArrayList<>();

  /** A stage on its way. Times are in milliseconds. */
  private static final class Stage {
    private long busy;

    /** When the last task began: from then on cores that were done ran empty. */
    private long lastStart;

    private final List<Long> ends = new ArrayList<>();
  }

  /** Listens to Spark and to the collector. */
  public JobWatch() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector)
          .addNotificationListener((notification, nothing) -> collected(notification), null, null);
    }
  }

  private void collected(Notification notification) {
    if (notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      long used =
          GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
              .getGcInfo()
              .getMemoryUsageAfterGc()
              .values()
              .stream()
              .mapToLong(MemoryUsage::getUsed)
              .sum();
      synchronized (heap) {
        heap.add(used);
      }
    }
  }

  @Override
  public void onExecutorAdded(SparkListenerExecutorAdded added) {
    cores.put(added.executorId(), added.executorInfo().totalCores());
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    cores.remove(removed.executorId());
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    running.put(submitted.stageInfo().stageId(), new Stage());
  }

  @Override
  public void onTaskStart(SparkListenerTaskStart task) {
    Stage stage = running.get(task.stageId());
    if (stage != null) {
      stage.lastStart = Math.max(stage.lastStart, task.taskInfo().launchTime());
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd task) {
    Stage stage = running.get(task.stageId());
    if (stage != null) {
      stage.busy += task.taskInfo().duration();
      stage.ends.add(task.taskInfo().finishTime());
    }
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    StageInfo info = completed.stageInfo();
    Stage stage = running.remove(info.stageId());
    long from = (Long) info.submissionTime().get();
    long end = (Long) info.completionTime().get();
    if (stage == null || end - from < LONG_MILLIS) {
      return;
    }
    int there = cores.values().stream().mapToInt(Integer::intValue).sum();
    double all = (double) (end - from) * there;
    double tail = (double) (end - stage.lastStart) * Math.min(there, stage.ends.size());
    for (long ended : stage.ends) {
      tail -= Math.max(0, ended - stage.lastStart);
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "stage %d (%s): began %.1f s after the driver, took %.1f s; %d tasks on %d cores, which"
                + " were without work for %.2f %% of that time, for %.2f %% waiting for the last tasks",
            info.stageId(),
            info.name(),
            (from - start) / 1e3,
            (end - from) / 1e3,
            stage.ends.size(),
            there,
            // A task is counted until the driver has heard of its end, when the next has begun
            // already.
            100 * Math.max(0, 1 - stage.busy / all),
            100 * tail / all));
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    lines.forEach(System.err::println);
    synchronized (heap) {
      if (!heap.isEmpty()) {
        int third = heap.size() / 3;
        System.err.printf(
            Locale.ROOT,
            "driver's heap after %d collections: at most %d MB; the least in the middle third %d MB,"
                + " in the last %d MB%n",
            heap.size(),
            most(heap) >> 20,
            least(heap.subList(third, 2 * third + 1)) >> 20,
            least(heap.subList(2 * third, heap.size())) >> 20);
      }
    }
  }

  private static long most(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private static long least(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).min().orElse(0);
  }
}
