package org.vstar.spark.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** All readers that are attacked. To attack one more, write a {@link Target} and name it here. */
final class Targets {

  private Targets() {}

  /**
   * Makes all targets.
   *
   * @param project where conf and datasets are
   * @param scratch where they may write
   */
  static List<Target> all(Path project, Path scratch) throws IOException {
    SmallRun run = SmallRun.make(project, scratch.resolve("run"));
    List<Target> all = new ArrayList<>();
    all.addAll(InputTargets.all(project, scratch));
    all.addAll(PolicyTargets.all(run));
    all.add(GgufTarget.of(scratch.resolve("gguf")));
    all.addAll(TableTargets.all(run, scratch));
    all.add(JobTarget.of(run, scratch));
    return all;
  }
}
