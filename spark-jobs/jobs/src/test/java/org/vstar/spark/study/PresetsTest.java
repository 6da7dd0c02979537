package org.vstar.spark.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;

class PresetsTest {

  private static final Path CONF = Path.of("../../conf");

  /** Parts that presets include. */
  private static final List<String> PARTS = List.of("defaults.yaml", "learning.yaml");

  private static final List<String> FREE =
      List.of("zero", "rloo", "grpo", "reinforce-pp", "ppo", "raft-online");

  /** How many tables the arms with rounds have. */
  private static final Map<String, Integer> ROUNDS =
      Map.of("webshop-lite.yaml", 2, "frozenlake.yaml", 3, "sokoban.yaml", 3, "webshop-1k.yaml", 3);

  private static Stream<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
    }
  }

  @TestFactory
  Stream<DynamicTest> everyPresetIsAConfig() throws IOException {
    return files(CONF)
        .filter(file -> !PARTS.contains(file.getFileName().toString()))
        .map(
            file ->
                DynamicTest.dynamicTest(
                    file.getFileName().toString(),
                    () -> assertThat(JobContext.read(file.toString(), Map.of())).isNotNull()));
  }

  @TestFactory
  Stream<DynamicTest> everyRunOfAStudyFitsItsBudget() throws IOException {
    return files(CONF.resolve("studies"))
        .map(
            file ->
                DynamicTest.dynamicTest(file.getFileName().toString(), () -> requireRuns(file)));
  }

  /** WebShop's published files; what needs them is left out where there are none. */
  private static Map<String, String> published() {
    Path folder =
        Path.of(System.getProperty("webshop.data", "../../../shared/webshop")).toAbsolutePath();
    assumeTrue(Files.isDirectory(folder), "WebShop's published files are missing");
    return Map.of(
        "environment.data.products", folder + "/items_shuffle_1000.json",
        "environment.data.attributes", folder + "/items_ins_v2_1000.json",
        "environment.data.human", folder + "/items_human_ins.json");
  }

  private static void requireRuns(Path file) throws IOException {
    Map<String, String> data =
        Files.readString(file).contains("items_shuffle") ? published() : Map.of();
    RunConfig config = JobContext.read(file.toString(), data);
    Path base = file.toAbsolutePath().getParent();
    Environment environment = config.environment().open(base, config.seed()).environment();
    if (config.study().rollouts() == null) {
      assertThat(PlannedRun.all(file, data, config.study()))
          .hasSameSizeAs(config.study().arms().keySet());
      return;
    }
    long table = (long) environment.tasks(Split.TRAIN).size() * config.vstar().samples();
    for (PlannedRun run : PlannedRun.all(file, data, config.study())) {
      PlannedRun planned = run.within(config.study().rollouts(), environment, file);
      int steps = planned.config().train().schedule().steps();
      long online = planned.offline() ? 0 : steps * planned.rolloutsPerStep();
      long all = planned.rollouts(environment, steps, online);
      assertThat(all).as(run.toString()).isBetween(1L, (long) config.study().rollouts());
      // What is held against nothing, the step, a group or a critic needs no samples of the
      // reference policy.
      boolean free = FREE.contains(run.arm());
      int tables = ROUNDS.getOrDefault(file.getFileName().toString(), 1);
      boolean rounds = run.arm().endsWith("-rounds");
      assertThat(all - online)
          .as(run.toString())
          .isEqualTo(free ? 0 : table * (rounds ? tables : 1));
    }
  }
}
