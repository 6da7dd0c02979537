package org.vstar.spark.tracking;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricFilter;
import com.codahale.metrics.MetricRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.vstar.common.RunStore;

/**
 * The newest numbers of a job as a source of Spark's own metrics system, so that whatever Spark is
 * configured to report to (its Prometheus servlet, JMX, Graphite, …) shows them, under the driver's
 * name and {@code vstar}: {@code vstar.train.success}, {@code vstar.vstar.rollouts_per_second}.
 *
 * <p>Does nothing in a process without a Spark context.
 */
public final class SparkMetrics implements MetricsSink {

  private static final String SOURCE = "vstar";

  private final Registered source;
  private final Map<String, Double> newest = new ConcurrentHashMap<>();

  /** What Spark knows of it. */
  private record Registered(MetricRegistry metricRegistry) implements Source {
    @Override
    public String sourceName() {
      return SOURCE;
    }
  }

  private SparkMetrics() {
    source = new Registered(new MetricRegistry());
    if (SparkEnv.get() != null) {
      SparkEnv.get().metricsSystem().registerSource(source);
    }
  }

  /** Registers a source that has no number yet. */
  public static SparkMetrics register() {
    return new SparkMetrics();
  }

  /** Makes it known to training. */
  public static final class Opener implements Kind {
    @Override
    public Optional<MetricsSink> open(RunStore store, String folder, Start start) {
      return Optional.of(register());
    }
  }

  @Override
  public void scalars(String stage, long step, Map<String, Double> values) {
    Map<String, Double> all = new HashMap<>(values);
    all.put("step", (double) step);
    if (values.containsKey("tokens")) {
      double seconds =
          values.getOrDefault("rollout_seconds", 0.0) + values.getOrDefault("update_seconds", 0.0);
      all.put("tokens_per_second", values.get("tokens") / seconds);
    }
    all.forEach((name, value) -> show(stage + "." + name, value));
  }

  private void show(String name, double value) {
    if (newest.put(name, value) == null) {
      Gauge<Double> gauge = () -> newest.get(name);
      source.metricRegistry.register(name, gauge);
    }
  }

  @Override
  public void flush() {
    // The newest number is always there.
  }

  @Override
  public void close() {
    // Spark would remove every source of this name; what is taken out here, Spark shows no more.
    source.metricRegistry.removeMatching(MetricFilter.ALL);
  }
}
