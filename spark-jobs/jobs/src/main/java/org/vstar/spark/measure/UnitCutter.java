package org.vstar.spark.measure;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.vstar.env.Task;
import org.vstar.model.rollout.Request;
import org.vstar.spark.rollout.DistributedRollouts.Requests;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.SampleIndices;
import org.vstar.spark.table.SampleKey;

/**
 * Cuts sampling into units. How it is cut depends on what is missing and on the config, never on
 * how many executors there are.
 *
 * @param tasksPerUnit tasks of a unit
 * @param seed the run's
 * @param fingerprints what samples are drawn under
 */
record UnitCutter(int tasksPerUnit, long seed, Fingerprints fingerprints) {

  /** Samples of a task in one unit, at most: an executor holds a unit's trajectories in memory. */
  private static final int SAMPLES_PER_UNIT = 64;

  /**
   * Samples of a task.
   *
   * @param indices which
   */
  record OfTask(Task task, BitSet indices) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /** Samples of some tasks that are not there yet. */
  record Missing(List<OfTask> parts, long seed, Fingerprints fingerprints) implements Requests {

    private static final long serialVersionUID = 1L;

    @Override
    public int size() {
      return parts.stream().mapToInt(part -> part.indices.cardinality()).sum();
    }

    /** The same, for a plan. */
    SampleIndices which() {
      SampleIndices which = new SampleIndices();
      parts.forEach(part -> which.add(part.task.id(), part.indices));
      return which;
    }

    @Override
    public List<Request> all() {
      List<Request> requests = new ArrayList<>();
      for (OfTask part : parts) {
        part.indices.stream()
            .forEach(
                i -> {
                  SampleKey key = new SampleKey(part.task.id(), i);
                  requests.add(new Request(part.task, i, key.seed(seed, fingerprints)));
                });
      }
      return requests;
    }
  }

  /**
   * Cuts all samples that are not there yet into units of some tasks each.
   *
   * @param counts how many samples each task is to have
   * @param there sample indices by task
   */
  List<Missing> missing(List<Task> tasks, int[] counts, Map<String, BitSet> there) {
    int samples = Arrays.stream(counts).max().orElse(0);
    List<Missing> units = new ArrayList<>();
    for (int from = 0; from < tasks.size(); from += tasksPerUnit) {
      int end = Math.min(tasks.size(), from + tasksPerUnit);
      List<Task> block = tasks.subList(from, end);
      int[] wanted = Arrays.copyOfRange(counts, from, end);
      for (int first = 0; first < samples; first += SAMPLES_PER_UNIT) {
        Missing missing = missing(block, wanted, there, first);
        if (missing.size() > 0) {
          units.add(missing);
        }
      }
    }
    return units;
  }

  private Missing missing(List<Task> block, int[] counts, Map<String, BitSet> there, int first) {
    List<OfTask> parts = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      Task task = block.get(i);
      BitSet missing = new BitSet();
      missing.set(first, Math.max(first, Math.min(counts[i], first + SAMPLES_PER_UNIT)));
      missing.andNot(there.getOrDefault(task.id(), new BitSet()));
      if (!missing.isEmpty()) {
        parts.add(new OfTask(task, missing));
      }
    }
    return new Missing(parts, seed, fingerprints);
  }
}
