package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LostExecutorsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Command exited with code 137",
        "Container from a bad node: container_1 on host: h. Exit status: 137. Diagnostics: Killed",
        "Container killed by YARN for exceeding physical memory limits. 2.1 GB of 2 GB used.",
        "The executor with id 3 exited with exit code 52(JVM OOM).",
        "The executor with id 3 was killed: OOMKilled"
      })
  void aKilledExecutorIsToldWithWhatItsManagerSaid(String reason) {
    assertThat(LostExecutors.line("3", reason + "\nmore"))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .startsWith("executor 3 was killed (" + reason + "), most often because memory")
                    .contains("vstar.slots", "--executor-memory"));
  }

  @Test
  void oneThatSparkNeedsNoLongerIsNot() {
    assertThat(LostExecutors.line("3", "Executor killed by driver.")).isEmpty();
    assertThat(LostExecutors.line("3", "Executor is decommissioned.")).isEmpty();
    assertThat(LostExecutors.line("13752", "worker lost")).isEmpty();
  }
}
