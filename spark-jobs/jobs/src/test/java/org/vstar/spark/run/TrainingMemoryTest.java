package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.WeightSource;

class TrainingMemoryTest {

  private static final ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 512, 500, 1e-5, false);

  private final List<String> said = new ArrayList<>();

  /** A megabyte a token of a micro-batch, and a quarter of it where activations are made again. */
  private record Kind(long megabytes) implements EngineKind {
    @Override
    public String kind() {
      return "planned";
    }

    @Override
    public Engine open(WeightSource weights, EngineOptions options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<MemoryPlan> trainingMemory(MemoryPlan.Load load, EngineOptions options) {
      long tokens = Math.max(options.microBatchTokens(), load.longest());
      MemoryPlan.Part part =
          new MemoryPlan.Part(
              "activations", tokens * (options.checkpointing() ? 250_000 : 1_000_000));
      return Optional.of(
          new MemoryPlan("a small machine", megabytes * 1_000_000, List.of(part), "buy another"));
    }
  }

  private EngineOptions fitting(long megabytes, int longest) {
    MemoryPlan.Load load = new MemoryPlan.Load(SHAPE, 100, 1000, longest, 1, 1, 0);
    return TrainingMemory.fitting(
        new Kind(megabytes), load, new EngineOptions(2, 1024), "do less", said::add);
  }

  @Test
  void whatFitsIsAsTheConfigSays() {
    assertThat(fitting(1100, 100)).isEqualTo(new EngineOptions(2, 1024));
    assertThat(said)
        .containsExactly(
            "memory, with up to 1,024 tokens at once in a thread: activations 1.0 GB; up to 1.0 GB"
                + " of a small machine, of which 1.1 GB are available");
  }

  @Test
  void activationsAreMadeAgainWhereTheyDoNotFit() {
    assertThat(fitting(300, 100)).isEqualTo(new EngineOptions(2, 1024).withCheckpointing());
    assertThat(said)
        .containsExactly(
            "memory: as the config says it would be 1.0 GB, so activationCheckpointing is on, which"
                + " takes a third more time");
  }

  @Test
  void thenMicroBatchesAreCutToWhatTheLongestSequenceNeeds() {
    assertThat(fitting(70, 100)).isEqualTo(new EngineOptions(2, 256).withCheckpointing());
    assertThat(said.get(0))
        .endsWith(
            " and train.microBatchTokens is 256 instead of 1024, which may change last digits");
    assertThatThrownBy(() -> fitting(70, 300))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "training needs up to 75 MB of a small machine, of which 70 MB are available"
                + " (activations 75 MB): buy another, or do less");
  }

  @Test
  void theLastCutIsToTheLongestSequenceItself() {
    assertThat(fitting(160, 600)).isEqualTo(new EngineOptions(2, 600).withCheckpointing());
    assertThat(fitting(17, 10)).isEqualTo(new EngineOptions(2, 64).withCheckpointing());
  }

  @Test
  void anEngineThatPlansNothingIsNotHeldUp() {
    EngineKind silent =
        new EngineKind() {
          @Override
          public String kind() {
            return "silent";
          }

          @Override
          public Engine open(WeightSource weights, EngineOptions options) {
            throw new UnsupportedOperationException();
          }
        };
    MemoryPlan.Load load = new MemoryPlan.Load(SHAPE, 100, 1000, 100, 1, 1, 0);
    EngineOptions wanted = new EngineOptions(2, 1024);
    assertThat(TrainingMemory.fitting(silent, load, wanted, "do less", said::add)).isSameAs(wanted);
    assertThat(said).isEmpty();
  }
}
