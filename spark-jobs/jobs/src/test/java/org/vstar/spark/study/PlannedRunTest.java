package org.vstar.spark.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.StudyConfig;

/** By what a finished run is known again. */
class PlannedRunTest {

  private static final Path FILE = Path.of("../../conf/studies/webshop-lite.yaml");

  private static List<String> settings(Map<String, String> more) {
    StudyConfig study = JobContext.read(FILE.toString(), Map.of()).study();
    return PlannedRun.all(FILE, more, study).stream().map(PlannedRun::settings).toList();
  }

  @Test
  void aRunIsKnownByItsOwnObjectiveAndByNothingThatItsResultDoesNotDependOn() {
    List<String> settings = settings(Map.of());
    assertThat(settings).doesNotHaveDuplicates();
    assertThat(settings(Map.of("objectives.another", "{kind: raft}"))).isEqualTo(settings);
    assertThat(settings(Map.of("evaluate.samplesPerTask", "2", "name", "other")))
        .isEqualTo(settings);
    assertThat(settings(Map.of("vstar.samples", "4"))).doesNotContainAnyElementsOf(settings);
    List<String> other = settings(Map.of("objectives.rloo.rolloutsPerTask", "2"));
    int rloo = 5;
    for (int run = 0; run < settings.size(); run++) {
      boolean same = run % 13 != rloo;
      assertThat(other.get(run).equals(settings.get(run))).as("run " + run).isEqualTo(same);
    }
  }
}
