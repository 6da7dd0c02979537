package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.DemonstrationSource;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.spark.TestRun;

class HeldOutDemonstrationsTest {

  @TempDir Path folder;

  @Test
  void theLossIsOfAllThatIsImitatedInTheMeanOfDemonstrations() throws IOException {
    TestRun run = new TestRun(folder.resolve("run")).withReference(4);
    Policy policy = run.reference();
    DemonstrationBatches batches = batches(run, policy, scripted(run));
    double loss = 0;
    int tokens = 0;
    for (int first : new int[] {0, 50}) {
      long seed = DemonstrationBatches.seed(run.config(), "fresh demonstrations " + first);
      for (Sequence sequence : batches.batch(seed, first == 0 ? 50 : 10)) {
        for (float p : policy.engine().scorer(1).logProbabilities(List.of(sequence))[0]) {
          loss -= p;
          tokens++;
        }
      }
    }
    HeldOutDemonstrations fresh = HeldOutDemonstrations.of(policy, batches, run.config(), 60);
    assertThat(fresh.demonstrations()).isEqualTo(60);
    assertThat(fresh.loss()).isCloseTo(loss / 60, within(1e-9 * loss));
    assertThat(fresh.tokens()).isCloseTo(tokens / 60.0, within(1e-9));
  }

  @Test
  void recordedEpisodesAreNotAmongThem() throws IOException {
    TestRun run = new TestRun(folder.resolve("run")).withReference(4);
    Policy policy = run.reference();
    DemonstrationSource scripted = scripted(run);
    RecordedDemonstrations onlyRecorded =
        new RecordedDemonstrations(scripted, 1, List.of(scripted.batch(1, 1).get(0)));
    HeldOutDemonstrations fresh =
        HeldOutDemonstrations.of(policy, batches(run, policy, onlyRecorded), run.config(), 20);
    assertThat(fresh)
        .isEqualTo(
            HeldOutDemonstrations.of(policy, batches(run, policy, scripted), run.config(), 20));
  }

  private static DemonstrationSource scripted(TestRun run) throws IOException {
    return run.open().demonstrations();
  }

  private static DemonstrationBatches batches(
      TestRun run, Policy policy, DemonstrationSource source) throws IOException {
    return DemonstrationBatches.of(source, policy, run.environment(), run.config());
  }

  @Test
  void aDemonstrationIsSureIfEachOfItsTokensHasMoreThanHalfOfTheProbability() {
    float[] likely = {-0.1f, -0.69f};
    float[] unlikelyAtLast = {-0.1f, -0.1f, -0.7f};
    HeldOutDemonstrations fresh =
        HeldOutDemonstrations.of(List.of(likely, unlikelyAtLast, likely, unlikelyAtLast));
    assertThat(fresh.confident()).isEqualTo(0.5);
    assertThat(fresh.tokens()).isEqualTo(2.5);
    assertThat(fresh.loss()).isCloseTo((2 * 0.79 + 2 * 0.9) / 4, within(1e-6));
    assertThat(fresh.toString())
        .startsWith("4 fresh demonstrations: loss 0.845 each, of 3 tokens; in 50.0 %");
  }

  @Test
  void whereNoneFitsTheContextNoneIsScored() {
    assertThat(HeldOutDemonstrations.of(List.of()).toString()).startsWith("0 fresh demonstrations");
  }
}
