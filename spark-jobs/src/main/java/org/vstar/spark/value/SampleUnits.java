package org.vstar.spark.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.vstar.common.ContentHash;
import org.vstar.env.Task;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Rollouts.Request;
import org.vstar.spark.rollout.DistributedRollouts.WorkUnit;
import org.vstar.spark.table.Fingerprints;
import org.vstar.spark.table.SampleKey;

/**
 * Cuts sampling into units. How it is cut depends on what is missing and on the config, never on
 * how many executors there are.
 *
 * @param samples N, samples of each task
 * @param tasksPerUnit tasks of a unit
 * @param seed the run's
 * @param fingerprints what samples are drawn under
 */
record SampleUnits(
    int samples, int tasksPerUnit, SamplingConfig sampling, long seed, Fingerprints fingerprints) {

  /** Cuts all samples that are not there yet into units of some tasks each. */
  List<WorkUnit> missing(List<Task> tasks, Set<SampleKey> existingKeys) {
    List<WorkUnit> units = new ArrayList<>();
    for (int from = 0; from < tasks.size(); from += tasksPerUnit) {
      List<Request> requests = new ArrayList<>();
      for (Task task : tasks.subList(from, Math.min(tasks.size(), from + tasksPerUnit))) {
        for (int i = 0; i < samples; i++) {
          SampleKey key = new SampleKey(task.id(), i);
          if (!existingKeys.contains(key)) {
            requests.add(new Request(task, i, key.seed(seed, fingerprints)));
          }
        }
      }
      if (!requests.isEmpty()) {
        units.add(new WorkUnit(name(requests), sampling, requests));
      }
    }
    return units;
  }

  /** The name of a unit's file. */
  private static String name(List<Request> requests) {
    ContentHash hash = new ContentHash();
    requests.forEach(r -> hash.add(r.task().id()).add(r.sampleIndex()));
    return "unit-" + hash.hex();
  }
}
