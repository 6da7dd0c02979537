package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
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
                "warmStart.rounds=40",
                "warmStart.batchesPerRound=3",
                "warmStart.batch=5",
                "environment.demonstrator.searchLoop=0.9")
            .withReference(4);
    DemonstrationBatches batches =
        DemonstrationBatches.of(
            run.open().demonstrations(), run.reference(), run.environment(), run.config());
    Minibatches minibatches = batches.minibatches(run.config());
    List<Integer> lengths = new ArrayList<>();
    for (int round = 0; round < 40; round++) {
      for (int number = 0; number < 3; number++) {
        for (Sequence sequence : minibatches.minibatch(round, number)) {
          lengths.add(sequence.tokens().length);
        }
      }
    }
    assertThat(batches.longest(run.config()))
        .isEqualTo(lengths.stream().mapToInt(Integer::intValue).max().orElseThrow());
  }
}
