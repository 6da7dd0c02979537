package org.vstar.spark.value;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.vstar.common.ContentHash;
import org.vstar.env.Task;
import org.vstar.model.rollout.Rollouts.Request;
import org.vstar.spark.table.Fingerprints;

/**
 * A piece of work: samples of a few tasks. How the work is cut depends on what is missing and on
 * the config, never on how many executors there are.
 *
 * @param keys which samples
 */
public record WorkUnit(List<Key> keys) implements Serializable {

  /** A sample of a task. */
  public record Key(Task task, int sampleIndex) implements Serializable {
    /** What {@link #missing} is told is there. */
    public static String text(String taskId, int sampleIndex) {
      return taskId + "/" + sampleIndex;
    }
  }

  /** Cuts all samples that are not there yet into units of some tasks each. */
  public static List<WorkUnit> missing(
      List<Task> tasks, int samples, int tasksPerUnit, Set<String> there) {
    List<WorkUnit> units = new ArrayList<>();
    for (int from = 0; from < tasks.size(); from += tasksPerUnit) {
      List<Key> keys = new ArrayList<>();
      for (Task task : tasks.subList(from, Math.min(tasks.size(), from + tasksPerUnit))) {
        for (int i = 0; i < samples; i++) {
          if (!there.contains(Key.text(task.id(), i))) {
            keys.add(new Key(task, i));
          }
        }
      }
      if (!keys.isEmpty()) {
        units.add(new WorkUnit(keys));
      }
    }
    return units;
  }

  /** The name of the unit's file: the same work has the same name. */
  String fileName() {
    ContentHash hash = new ContentHash();
    keys.forEach(k -> hash.add(Key.text(k.task().id(), k.sampleIndex())));
    return "unit-" + hash.hex();
  }

  /** The unit's episodes. */
  public List<Request> requests(long runSeed, Fingerprints f) {
    return keys.stream()
        .map(
            k ->
                new Request(
                    k.task(), k.sampleIndex(), seed(k.task().id(), k.sampleIndex(), runSeed, f)))
        .toList();
  }

  /** A sample's seed: a hash of its key (task, index, fingerprints) and the run's seed. */
  static long seed(String taskId, int sampleIndex, long runSeed, Fingerprints f) {
    ContentHash hash = new ContentHash().add(taskId).add(sampleIndex);
    f.columns().values().forEach(hash::add);
    return hash.add(runSeed).number();
  }
}
