package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.spark.TestRun;

class HeldOutTest {

  @TempDir Path folder;

  @Test
  void theLossIsOfAllThatAnAgentSaysInTheMeanOfDemonstrationsOfOtherSeedsThanTheTraining()
      throws IOException {
    TestRun run = new TestRun(folder.resolve("run")).withReference(4);
    Policy policy = run.reference();
    Lesson lesson =
        Lesson.of(
            run.config().environment().demonstrations(run.environment()),
            policy.chat(),
            policy.tokenizer(),
            policy.engine().config().context(),
            run.environment(),
            run.config());
    double loss = 0;
    int tokens = 0;
    for (int first : new int[] {0, 50}) {
      long seed = WarmStartJob.seed(run.config(), "held out " + first);
      assertThat(seed).isNotEqualTo(Lesson.seed(run.config(), 0, first));
      for (Sequence sequence : lesson.batch(seed, first == 0 ? 50 : 10)) {
        for (float p : policy.engine().scorer(1).logProbabilities(List.of(sequence))[0]) {
          loss -= p;
          tokens++;
        }
      }
    }
    HeldOut held = HeldOut.of(policy, lesson, run.config(), 60);
    assertThat(held.demonstrations()).isEqualTo(60);
    assertThat(held.loss()).isCloseTo(loss / 60, within(1e-9 * loss));
    assertThat(held.tokens()).isCloseTo(tokens / 60.0, within(1e-9));
    assertThat(held.sure()).as("of a policy that knows nothing").isZero();
    assertThat(held.toString()).contains("60 demonstrations", "in 0.0 % every token");
  }
}
