package org.vstar.spark.tracking;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
     * @param step how many steps have been taken: of later ones nothing may be kept, since they are
     *     taken again
     */
    MetricsSink open(RunStore store, String folder, long step) throws IOException;
  }

  /** Opens every sink on the class path as one. */
  static MetricsSink openAll(RunStore store, String folder, long step) throws IOException {
    List<MetricsSink> sinks = new ArrayList<>();
    for (Kind kind : ServiceLoader.load(Kind.class)) {
      sinks.add(kind.open(store, folder, step));
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
      public void close() throws IOException {
        IOException failed = null;
        for (MetricsSink sink : sinks) {
          try {
            sink.close();
          } catch (IOException e) {
            failed = failed == null ? e : failed;
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

  @Override
  void close() throws IOException;
}
