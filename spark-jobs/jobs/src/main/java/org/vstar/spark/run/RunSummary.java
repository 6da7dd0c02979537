package org.vstar.spark.run;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.table.Footers;
import org.vstar.spark.table.SamplePlan;
import org.vstar.spark.table.StoredTables;
import org.vstar.spark.table.Tables;

/**
 * A run in one line, from its files' names and footers.
 *
 * @param run its name
 * @param environment whose tasks it has; {@code –}, here and below, as long as there is none
 * @param policy the reference policy's fingerprint
 * @param beta1 β₁
 * @param n samples of a task
 * @param tasks tasks that have a V*
 * @param samples rows of {@code samples}
 * @param state how far it has come
 * @param changed when a stage last ended
 */
@JsonPropertyOrder({
  "run",
  "environment",
  "policy",
  "beta1",
  "n",
  "tasks",
  "samples",
  "state",
  "changed"
})
public record RunSummary(
    String run,
    String environment,
    String policy,
    String beta1,
    String n,
    long tasks,
    long samples,
    String state,
    String changed) {

  private static final String TRAINING = RunFolder.training("");

  /** Looks at a run. What is damaged is its state, so that the other runs are seen too. */
  public static RunSummary of(String run, Store store) {
    try {
      return look(run, store);
    } catch (InvalidInputException e) {
      return new RunSummary(run, "–", "–", "–", "–", 0, 0, e.getMessage(), "–");
    }
  }

  private static RunSummary look(String run, Store store) {
    StoredTables tables = new StoredTables(store);
    Footers tasks = tables.footers("tasks");
    long samples = tables.samples();
    Footers vStar = tables.footers(StoredTables.VSTAR);
    try {
      List<String> names = store.list("");
      return new RunSummary(
          run,
          tasks.only("environment").orElse("–"),
          tables.samplesFingerprint("policy_fingerprint").orElse("–"),
          vStar.range("beta1"),
          vStar.range("n"),
          vStar.rows(),
          samples,
          state(store, names, samples, vStar.rows()),
          changed(store));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(""), e);
    }
  }

  private static String changed(Store store) throws IOException {
    if (!store.exists(RunFolder.TIMES)) {
      return "–";
    }
    Instant at = store.modified(RunFolder.TIMES);
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String state(Store store, List<String> names, long samples, long estimates)
      throws IOException {
    if (names.stream().anyMatch(name -> name.startsWith("evaluation-final/"))) {
      return "test tasks played";
    }
    if (names.stream().anyMatch(name -> name.startsWith("evaluation/"))) {
      return "evaluated";
    }
    SortedSet<String> trained = new TreeSet<>();
    SortedSet<String> begun = new TreeSet<>();
    for (String name : names) {
      if (name.startsWith(TRAINING) && name.contains("/")) {
        String objective = name.substring(TRAINING.length(), name.indexOf('/'));
        (name.contains("/policy/") ? trained : begun).add(objective);
      }
    }
    begun.removeAll(trained);
    if (!trained.isEmpty() || !begun.isEmpty()) {
      return (trained.isEmpty() ? "" : "trained: " + String.join(", ", trained))
          + (trained.isEmpty() || begun.isEmpty() ? "" : "; ")
          + (begun.isEmpty() ? "" : "in training: " + String.join(", ", begun));
    }
    if (estimates > 0) {
      return "V* measured";
    }
    return SamplePlan.newest(store, new TableLog(store, Tables.SAMPLES).now().about())
        .map(plan -> String.format(Locale.ROOT, "V*: %d of %d samples", samples, plan.samples()))
        .orElse("reference policy");
  }
}
