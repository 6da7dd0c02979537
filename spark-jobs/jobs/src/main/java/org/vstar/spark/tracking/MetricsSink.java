package org.vstar.spark.tracking;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.vstar.common.Experimental;
import org.vstar.common.RunStore;

/** Takes the numbers of a training run while it runs. */
@Experimental
public interface MetricsSink extends AutoCloseable {

  /** Numbers of a step of training. */
  String TRAIN = "train";

  /** Numbers of an evaluation on validation tasks, after so many steps. */
  String VALIDATION = "validation";

  /**
   * Opens a sink. Found by {@link ServiceLoader}: name the class in {@code
   * META-INF/services/org.vstar.spark.tracking.MetricsSink$Kind}, and give its jar to the job.
   */
  @Experimental
  interface Kind {

    /**
     * Opens a sink for a run.
     *
     * @param folder the training run's folder in the store
     * @return nothing if the config does not ask for this sink
     */
    Optional<MetricsSink> open(RunStore store, String folder, Start start) throws IOException;
  }

  /**
   * What a training job starts from.
   *
   * @param run the run's name
   * @param step how many steps have been taken: of later ones nothing may be kept, since they are
   *     taken again
   * @param settings all that the run's numbers depend on, by name
   * @param tracking the config's section
   */
  @Experimental
  record Start(String run, long step, Map<String, String> settings, TrackingConfig tracking) {}

  /** All kinds on the class path. */
  static Iterable<Kind> all() {
    return ServiceLoader.load(Kind.class);
  }

  /** Opens sinks of some kinds as one. */
  static MetricsSink open(Iterable<Kind> kinds, RunStore store, String folder, Start start)
      throws IOException {
    List<MetricsSink> sinks = new ArrayList<>();
    for (Kind kind : kinds) {
      kind.open(store, folder, start).ifPresent(sinks::add);
    }
    return new MetricsSink() {
      @Override
      public void scalars(String stage, long at, Map<String, Double> values) throws IOException {
        for (MetricsSink sink : sinks) {
          sink.scalars(stage, at, values);
        }
      }

      @Override
      public void flush() throws IOException {
        for (MetricsSink sink : sinks) {
          sink.flush();
        }
      }

      @Override
      public void complete() {
        sinks.forEach(MetricsSink::complete);
      }

      @Override
      public void close() throws IOException {
        IOException failed = null;
        for (MetricsSink sink : sinks) {
          try {
            sink.close();
          } catch (IOException | RuntimeException e) {
            failed =
                failed == null ? new IOException("a metric sink: " + e.getMessage(), e) : failed;
          }
        }
        if (failed != null) {
          throw failed;
        }
      }
    };
  }

  /**
   * Takes numbers.
   *
   * @param stage {@link #TRAIN} or {@link #VALIDATION}
   * @param step steps taken before
   */
  void scalars(String stage, long step, Map<String, Double> values) throws IOException;

  /** Makes safe what was given so far; called before each checkpoint. */
  void flush() throws IOException;

  /** Says that training has taken its last step; what is closed without has failed. */
  default void complete() {}

  @Override
  void close() throws IOException;
}
