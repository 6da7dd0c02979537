package org.vstar.spark.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.vstar.common.RunStore;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.UnitTable;

/**
 * A V* job and a training of some seconds each, and all that they leave which must not differ.
 *
 * @param config the file
 * @param place where runs go
 * @param spark settings for Spark, the same for all
 */
record SmallJobs(Path config, String place, Map<String, String> spark) {

  /** The commands of a run, in order. */
  static final List<String> STAGES = List.of("vstar", "train");

  private static final List<String> SETTINGS =
      List.of(
          "environment.tasks=120",
          "vstar.tasksPerUnit=2",
          "vstar.samples=20",
          "vstar.keepTokens=true",
          "train.steps=15",
          "train.tasksPerStep=16",
          "train.checkpointEvery=3",
          "train.evaluateEvery=10",
          "train.evaluateTasks=8");

  /**
   * Processes of seconds are over before the second compiler pays, and an eighth of their time
   * would go into checking Spark's classes.
   */
  private static final String SHORT =
      "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

  private static final String TRAINING = "train-regression/";

  /** The arguments of a stage. */
  List<String> arguments(String stage, String run, String master) {
    List<String> arguments =
        new ArrayList<>(
            List.of("--config", config.toString(), "--out", place + "/" + run, "--master", master));
    arguments.addAll(List.of("--driver-memory", "1g", "--executor-memory", "1g"));
    // A unit on an executor that is held up is begun on another, too.
    arguments.addAll(List.of("--conf", "spark.speculation=true"));
    // Processes of seconds are over before the second compiler pays.
    arguments.addAll(List.of("--conf", "spark.driver.extraJavaOptions=" + SHORT));
    arguments.addAll(List.of("--conf", "spark.executor.extraJavaOptions=" + SHORT));
    SETTINGS.forEach(setting -> arguments.addAll(List.of("--set", setting)));
    spark.forEach((key, value) -> arguments.addAll(List.of("--conf", key + "=" + value)));
    if (stage.equals("train")) {
      arguments.addAll(List.of("--resume", "--rollouts", "executors"));
    }
    return arguments;
  }

  Store store(String run) {
    return Store.open(place + "/" + run);
  }

  /** Gives another run the reference policy of one. */
  void copyReference(String run, RunStore to) throws IOException {
    RunStore from = store(run);
    for (String file : from.list(PolicyFiles.REFERENCE + "/")) {
      try (InputStream in = from.read(file)) {
        to.publish(file, in::transferTo);
      }
    }
  }

  /** What a run has come to, by names that say what it is; less what no two runs share: times. */
  SortedMap<String, String> results(String run) throws IOException {
    Store store = store(run);
    SortedMap<String, String> results = new TreeMap<>();
    results.put("samples", String.join("\n", UnitTable.SAMPLES.texts(store)));
    results.put("trajectories", String.join("\n", UnitTable.TRAJECTORIES.texts(store)));
    results.put("V*", text(store, "tables/_log/vstar/_SUCCESS"));
    results.put("policy", text(store, TRAINING + "policy/vstar.json"));
    results.put(
        "metrics",
        text(store, TRAINING + "metrics.jsonl")
            .lines()
            .map(line -> line.replaceAll("\"(rollout|update|refresh)_seconds\":[^,}]*,?", ""))
            .collect(Collectors.joining("\n")));
    return results;
  }

  private static String text(RunStore store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
