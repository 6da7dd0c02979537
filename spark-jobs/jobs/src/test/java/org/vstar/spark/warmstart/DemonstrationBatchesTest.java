package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.engine.Sequence;
import org.vstar.model.imitation.Minibatches;
import org.vstar.spark.TestRun;

class DemonstrationBatchesTest {

  @TempDir Path folder;

  /** Memory is planned for it: one episode in hundreds may be twice as long as most. */
  @Test
  void theLongestDemonstrationIsThatOfAllMinibatchesAndNotOfASample() throws Exception {
    TestRun run =
        new TestRun(
                folder,
                "warmStart.rounds=20",
                "warmStart.batchesPerRound=3",
                "warmStart.batch=5",
                "environment.demonstrator.searchLoop=0.02")
            .withReference(4);
    DemonstrationBatches batches =
        DemonstrationBatches.of(
            run.open().demonstrations(), run.reference(), run.environment(), run.config());
    Minibatches minibatches = batches.minibatches(run.config());
    List<Integer> lengths = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      for (int number = 0; number < 3; number++) {
        for (Sequence sequence : minibatches.minibatch(round, number)) {
          lengths.add(sequence.tokens().length);
        }
      }
    }
    int longest = Collections.max(lengths);
    assertThat(lengths.subList(0, 64)).as("a sample").allMatch(length -> length < longest);
    assertThat(batches.longest(run.config())).isEqualTo(longest);
  }
}
