package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Turn;
import org.vstar.model.dl4j.LanguageModelLayer;
import org.vstar.model.engine.vector.VectorWeights;
import org.vstar.model.policy.Policy;
import org.vstar.spark.TestRun;
import org.vstar.spark.run.WarmStartConfig;

class ReplicaImitationIT {

  private static final int BATCHES = 6;
  private static final int BATCH = 3;

  @TempDir Path folder;

  private TestRun run(String... settings) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "warmStart.workers=1",
                "warmStart.rounds=1",
                "warmStart.batch=" + BATCH,
                "warmStart.batchesPerRound=" + BATCHES));
    all.addAll(List.of(settings));
    return new TestRun(folder.resolve("run"), all.toArray(String[]::new)).withReference(4);
  }

  private static DemonstrationSource scripted(TestRun run) throws IOException {
    return run.config().environment().demonstrations(run.environment());
  }

  /** Every second minibatch misses a demonstration, as if its slips filled the context. */
  private static DemonstrationSource withGaps(DemonstrationSource source) {
    return (seed, episodes) -> {
      List<List<Turn>> played = new ArrayList<>(source.batch(seed, episodes));
      if (seed % 2 == 0) {
        played.set(0, List.of());
      }
      return played;
    };
  }

  private static Lesson lesson(TestRun run, DemonstrationSource source) throws IOException {
    return Lesson.of(source, run.reference(), run.environment(), run.config());
  }

  private static Policy learned(TestRun run, Lesson lesson) throws IOException {
    SparkSession spark = TestRun.session("local[1]");
    try (ReplicaImitation imitation =
        new ReplicaImitation(
            new JavaSparkContext(spark.sparkContext()), run.config(), lesson, run.reference())) {
      imitation.round(0);
      return imitation.policy();
    } finally {
      spark.stop();
    }
  }

  /** The weights after one minibatch after another, without Spark. */
  private static float[] oneByOne(TestRun run, Lesson lesson) throws IOException {
    WarmStartConfig warm = run.config().warmStart();
    Policy start = run.reference();
    MultiLayerNetwork network =
        LanguageModelLayer.network(
            start.engine().config(),
            start.engine().vocabulary(),
            VectorWeights.of(start.engine().weights()).values(),
            LanguageModelLayer.adam(warm.optimizer(), BATCHES),
            warm.optimizer().clipNorm(),
            WarmStartJob.seed(run.config(), "network"));
    for (int i = 0; i < BATCHES; i++) {
      long seed = Lesson.seed(run.config(), 0, i);
      network.fit(LanguageModelLayer.dataSet(lesson.batch(seed, BATCH)));
    }
    return LanguageModelLayer.weights(network);
  }

  private static List<Integer> sizes(TestRun run, Lesson lesson) {
    return IntStream.range(0, BATCHES)
        .mapToObj(i -> lesson.batch(Lesson.seed(run.config(), 0, i), BATCH).size())
        .toList();
  }

  private static void assertLearnedOneByOne(TestRun run, Lesson lesson) throws IOException {
    assertThat(VectorWeights.of(learned(run, lesson).engine().weights()).values())
        .isEqualTo(oneByOne(run, lesson));
  }

  @Test
  void minibatchesThatMissADemonstrationAreNotMixedWithOthers() throws IOException {
    TestRun run = run();
    Lesson lesson = lesson(run, withGaps(scripted(run)));
    assertThat(sizes(run, lesson)).contains(BATCH, BATCH - 1);
    assertLearnedOneByOne(run, lesson);
  }

  @Test
  void minibatchesWithASequenceForEachTurnAreNotMixedWithOthers() throws IOException {
    TestRun run = run("sampling.lastTurns=1");
    Lesson lesson = lesson(run, scripted(run));
    assertThat(sizes(run, lesson)).anyMatch(size -> size > BATCH);
    assertLearnedOneByOne(run, lesson);
  }

  @Test
  void whereNoDemonstrationOfAMinibatchFitsTheErrorSaysWhatToDo() throws IOException {
    TestRun run = run();
    Lesson lesson = lesson(run, (seed, episodes) -> List.of(List.of()));
    assertThatThrownBy(() -> learned(run, lesson))
        .rootCause()
        .hasMessageContaining("of 3 demonstrations in a minibatch none has an answer to imitate")
        .hasMessageContaining("raise these or warmStart.batch, or shorten huggingFace.system");
  }
}
