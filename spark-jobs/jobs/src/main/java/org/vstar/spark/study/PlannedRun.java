package org.vstar.spark.study;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.advantage.Baselines;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.StudyConfig;
import org.vstar.spark.run.VStarConfig;
import org.vstar.spark.train.Training;

/**
 * A run of an arm with a seed, before it is run.
 *
 * @param overrides of the study's config
 * @param tree the config with these, without the section {@code study}
 * @param config the same, as records
 */
record PlannedRun(
    String arm,
    long seed,
    boolean offline,
    Map<String, String> overrides,
    JsonNode tree,
    RunConfig config) {

  /** Sections that the reference policy and its samples do not depend on. */
  private static final List<String> OF_TRAINING =
      List.of("train", "objectives", "evaluate", "vstar", "tracking", "iceberg", "name");

  /** Sections that no result of a study depends on. */
  private static final List<String> OF_REPORTS = List.of("evaluate", "tracking", "iceberg", "name");

  /** All runs of a study, seed by seed. */
  static List<PlannedRun> all(Path file, Map<String, String> settings, StudyConfig study) {
    JsonNode base = new ConfigFile().tree(file, settings);
    List<PlannedRun> runs = new ArrayList<>();
    for (long seed : study.seeds()) {
      for (String arm : study.arms().keySet()) {
        Map<String, String> overrides = new LinkedHashMap<>(settings);
        overrides.putAll(
            study.overrides(
                arm, seed, base.path("objectives"), base.path("train").path("objective").asText()));
        runs.add(of(file, arm, seed, study.arms().get(arm).offline(), overrides));
      }
    }
    return runs;
  }

  private static PlannedRun of(
      Path file, String arm, long seed, boolean offline, Map<String, String> overrides) {
    JsonNode tree = new ConfigFile().tree(file, overrides);
    ((ObjectNode) tree).remove("study");
    try {
      return new PlannedRun(
          arm, seed, offline, overrides, tree, JobContext.read(file.toString(), overrides));
    } catch (InvalidInputException e) {
      throw new InvalidInputException("study.arms." + arm + ": " + e.getMessage(), e);
    }
  }

  /** Where its reference policy is: arms that differ in training alone share it. */
  String workFolder() {
    ObjectNode shared = tree.deepCopy();
    shared.remove(OF_TRAINING);
    return "work/seed-" + seed + "-" + hash(shared, false);
  }

  /** The same whatever the order of keys. */
  private static String hash(JsonNode config, boolean offline) {
    return CanonicalJson.of("run of a study", 1)
        .with("config", Json.MAPPER.convertValue(config, Object.class))
        .with("offline", offline)
        .fingerprint();
  }

  /** Runs of equal ones train on one V* table. */
  String table() {
    return workFolder() + " " + hash(tree.path("vstar"), false);
  }

  /** Whether samples of the reference policy are needed. */
  boolean readsTable() {
    return offline || Training.readsTable(config);
  }

  /** Whether executors have to sample while it trains, or a table is read: the driver trains it. */
  boolean needsSpark() {
    return offline || config.train().target().refresh() != null;
  }

  /**
   * Content hash of all that its result depends on: of the objectives its own alone, so that a new
   * one in a file that is included has no finished run refused.
   */
  String settings() {
    ObjectNode own = tree.deepCopy();
    own.remove(OF_REPORTS);
    ((ObjectNode) own.get("objectives")).retain(arm);
    return hash(own, offline);
  }

  /** How many samples of the reference policy it needs. */
  long stageOneRollouts(Environment environment) {
    VStarConfig vstar = config.vstar();
    long each = (long) environment.tasks(Split.TRAIN).size() * vstar.samples();
    return !readsTable() ? 0 : vstar.adaptive() == null ? each : vstar.adaptive().totalBudget();
  }

  /**
   * The same with as many updates as a budget allows.
   *
   * @throws InvalidInputException if that is not one
   */
  PlannedRun within(Integer budget, Environment environment, Path file) {
    if (budget == null || offline) {
      return this;
    }
    long before = stageOneRollouts(environment);
    long steps = (budget - before) / rolloutsPerStep();
    if (steps < 1) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "study.rollouts is %d, but arm %s plays %d before its first update and %d for each:"
                  + " allow more, or set its vstar.samples or train.tasksPerStep lower",
              budget,
              arm,
              before,
              rolloutsPerStep()));
    }
    Map<String, String> more = new LinkedHashMap<>(overrides);
    more.put("train.steps", Long.toString(steps));
    return of(file, arm, seed, offline, more);
  }

  /** How many an update plays, if it plays any. */
  long rolloutsPerStep() {
    int perTask =
        config.objective().criticConfig().isPresent()
            ? 1
            : config.objective().advantages(Baselines.none()).rolloutsPerTask();
    return (long) config.train().batch().tasksPerStep() * perTask;
  }

  /** What of its rollouts had been played when so many updates were taken. */
  long rollouts(Environment environment, int step, long online) {
    long table = stageOneRollouts(environment);
    int every =
        config.train().target().refresh() == null ? 0 : config.train().target().refresh().every();
    long tables = every == 0 || step == 0 ? 0 : (step - 1) / every;
    long refreshed =
        (long) environment.tasks(Split.TRAIN).size() * config.vstar().samples() * tables;
    return table + refreshed + (offline ? 0 : online);
  }

  @Override
  public String toString() {
    return arm + ", seed " + seed;
  }
}
