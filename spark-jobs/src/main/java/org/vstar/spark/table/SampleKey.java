package org.vstar.spark.table;

import org.vstar.common.ContentHash;

/**
 * Which sample of which task.
 *
 * @param sampleIndex from 0
 */
public record SampleKey(String taskId, int sampleIndex) {

  /** A sample's seed: a hash of its key, of what it is drawn under, and of the run's seed. */
  public long seed(long runSeed, Fingerprints fingerprints) {
    ContentHash hash = new ContentHash().add(taskId).add(sampleIndex);
    fingerprints.columns().values().forEach(hash::add);
    return hash.add(runSeed).number();
  }
}
