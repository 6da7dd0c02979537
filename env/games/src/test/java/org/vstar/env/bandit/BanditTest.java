package org.vstar.env.bandit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.Environment;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;

class BanditTest {

  private static final BanditConfig CONFIG = new BanditConfig(4000, 3, 0.25);
  private final Environment bandit = CONFIG.open(Path.of(""), 0).environment();

  private double mean(String arm) {
    return bandit.tasks(Split.TRAIN).stream()
        .mapToDouble(task -> bandit.start(task).step(arm).reward())
        .average()
        .orElseThrow();
  }

  @Test
  void theSafeArmPaysAlwaysAndTheRiskyOneMoreOnAverage() {
    assertThat(mean("phoenix")).isCloseTo(0.1, within(1e-9));
    assertThat(mean("dragon")).isCloseTo(0.25, within(0.03));
  }

  @Test
  void anArmEndsTheEpisodeAndAnythingElseIsInvalid() {
    Task task = bandit.tasks(Split.TEST).get(0);
    Outcome risky = bandit.start(task).step("trader");
    assertThat(risky.done()).isTrue();
    assertThat(risky.success()).isTrue();
    assertThat(bandit.start(task).step("librarian").success()).isFalse();
    assertThat(bandit.start(task).step("dragon").valid()).isFalse();
  }

  @Test
  void tasksRepeatAndAreDrawnAnewForEachSplit() {
    assertThat(bandit.tasks(Split.TRAIN))
        .isEqualTo(CONFIG.open(Path.of(""), 0).environment().tasks(Split.TRAIN));
    assertThat(bandit.tasks(Split.TEST).stream().map(t -> t.id().replace("test", "")))
        .isNotEqualTo(
            bandit.tasks(Split.VALIDATION).stream().map(t -> t.id().replace("validation", "")));
  }

  @Test
  void demonstrationsChooseBothArmsOnTrainTasksOnly() {
    List<String> chosen =
        CONFIG.open(Path.of(""), 0).demonstrations().batch(1, 200).stream()
            .map(turns -> turns.get(0).answer().action())
            .toList();
    assertThat(chosen).contains("phoenix", "dragon").doesNotContain("trader", "librarian");
  }
}
