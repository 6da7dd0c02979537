package org.vstar.spark.table;

import java.util.ArrayList;
import java.util.List;
import org.vstar.common.Seeds;

/**
 * Which sample of which task.
 *
 * @param sampleIndex from 0
 */
public record SampleKey(String taskId, int sampleIndex) {

  /** A sample's seed: a hash of its key, of what it is drawn under, and of the run's seed. */
  public long seed(long runSeed, Fingerprints fingerprints) {
    List<Object> subject = new ArrayList<>(List.of(taskId, sampleIndex));
    subject.addAll(fingerprints.columns().values());
    return Seeds.derive(runSeed, "sample", subject.toArray());
  }
}
