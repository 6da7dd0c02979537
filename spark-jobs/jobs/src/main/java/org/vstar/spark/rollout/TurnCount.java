package org.vstar.spark.rollout;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.LongAccumulator;
import org.vstar.spark.catalyst.ScalaLists;

/**
 * Turns that episodes have taken, also those of tasks of Spark that are still running: a unit of
 * long episodes may take many minutes. Executors tell of running tasks with their heartbeats.
 */
final class TurnCount extends SparkListener implements AutoCloseable {

  private final SparkContext context;
  private final LongAccumulator ended;

  /** By task, as of its last heartbeat. */
  private final Map<Long, Long> running = new HashMap<>();

  private TurnCount(SparkContext context, LongAccumulator ended) {
    this.context = context;
    this.ended = ended;
  }

  /** Begins to listen. */
  static TurnCount listen(SparkContext context) {
    TurnCount count = new TurnCount(context, context.longAccumulator("turns"));
    context.addSparkListener(count);
    return count;
  }

  /** What tasks add their turns to. */
  LongAccumulator accumulator() {
    return ended;
  }

  @Override
  public void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate update) {
    for (var task : ScalaLists.list(update.accumUpdates())) {
      for (AccumulableInfo info : ScalaLists.list(task._4())) {
        if (info.id() == ended.id() && info.update().isDefined()) {
          synchronized (running) {
            running.put((Long) task._1(), ((Number) info.update().get()).longValue());
          }
        }
      }
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    synchronized (running) {
      running.remove(end.taskInfo().taskId());
    }
  }

  /** Turns so far. */
  long total() {
    synchronized (running) {
      return ended.value() + running.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  @Override
  public void close() {
    context.removeSparkListener(this);
  }
}
