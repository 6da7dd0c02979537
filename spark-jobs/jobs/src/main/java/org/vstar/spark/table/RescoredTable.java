package org.vstar.spark.table;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.countDistinct;
import static org.apache.spark.sql.functions.min;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.spark.store.TableLog;

/**
 * A table {@code vstar_NAME}: what the train tasks are worth under another rule, from the samples
 * that the run has. Its policy, environment and sampling fingerprints are the samples'; its reward
 * fingerprint is of the rule and of the samples' own. Beside it lies a file of its run id, which
 * says the rule.
 *
 * @param tables where it is
 * @param name its own
 */
public record RescoredTable(Tables tables, String name) {

  private static final Pattern NAMES = Pattern.compile("[a-z][a-z0-9_]{0,40}");

  /** Checks the name, which is a word of SQL. */
  public RescoredTable {
    if (!NAMES.matcher(name).matches()) {
      throw new InvalidInputException(
          "--as is '" + name + "', expected small letters, digits and _, a letter first");
    }
  }

  /**
   * Which estimate is wanted.
   *
   * @param rule what a sample is worth
   * @param samples N
   * @param beta1 β₁
   */
  public record Settings(Rescoring rule, int samples, double beta1) {}

  private record Note(
      String reward, String success, int samples, double beta1, String samplesRewardFingerprint) {}

  /** What says of a table, with this run id, how it was scored. */
  static String note(String table, String runId) {
    return TableLog.internals(table) + "rescored-" + runId + ".json";
  }

  /** What it is called in SQL. */
  public String table() {
    return StoredTables.VSTAR + "_" + name;
  }

  /**
   * Estimates V* of each train task that has N samples, and replaces the table of this name, if
   * there is one; that stays as a version.
   *
   * @return how many tasks have N samples
   * @throws InvalidInputException if none has, the rule cannot be applied, or the samples are of
   *     more than one policy, environment, reward or sampling
   */
  public long write(Settings settings) {
    Dataset<Row> samples = tables.samples();
    requireOneSeed(samples);
    Fingerprints own = fingerprints(samples);
    Fingerprints scored =
        new Fingerprints(
            own.policy(),
            own.environment(),
            settings.rule.canonical().with("samples", own.reward()).fingerprint(),
            own.sampling());
    String runId =
        CanonicalJson.of("rescored vstar", 1)
            .with("fingerprints", scored.canonical())
            .with("samples", settings.samples)
            .with("beta1", settings.beta1)
            .fingerprint();
    Dataset<Row> rows =
        new Estimates(settings.beta1, scored, runId)
            .of(
                tables.tasks(),
                settings.rule.of(samples),
                WantedSamples.all(tables.tasks(), settings.samples));
    // First the rule: a table without one could not be told from another's.
    tables.publish(
        note(Tables.FOLDER + "/" + table(), runId),
        json(
            new Note(
                settings.rule.reward(),
                settings.rule.success(),
                settings.samples,
                settings.beta1,
                own.reward())));
    return tables.replaceEstimates(table(), rows, 1);
  }

  private static byte[] json(Note note) {
    try {
      return Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(note);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Two runs of the same settings have other seeds alone. */
  private void requireOneSeed(Dataset<Row> samples) {
    List<Row> twice =
        samples
            .groupBy("task_id", "sample_index")
            .agg(countDistinct("seed").as("seeds"))
            .where("seeds > 1")
            .orderBy("task_id", "sample_index")
            .takeAsList(1);
    if (!twice.isEmpty()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s has sample %d of task %s with more than one seed: run submit/vstar, which puts"
                  + " foreign samples aside",
              tables.location(Tables.SAMPLES),
              twice.get(0).getInt(1),
              twice.get(0).getString(0)));
    }
  }

  /** Those of all samples. */
  private Fingerprints fingerprints(Dataset<Row> samples) {
    List<Column> columns = new ArrayList<>();
    Fingerprints.COLUMNS.forEach(of -> columns.add(countDistinct(of).as("different_" + of)));
    Fingerprints.COLUMNS.forEach(of -> columns.add(min(col(of))));
    Row found =
        samples
            .agg(columns.get(0), columns.subList(1, columns.size()).toArray(Column[]::new))
            .first();
    for (int i = 0; i < Fingerprints.COLUMNS.size(); i++) {
      if (found.getLong(i) != 1) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s has samples of %d values of %s, expected one: run submit/vstar, which puts"
                    + " foreign samples aside",
                tables.location(Tables.SAMPLES),
                found.getLong(i),
                Fingerprints.COLUMNS.get(i)));
      }
    }
    return new Fingerprints(
        found.getString(4), found.getString(5), found.getString(6), found.getString(7));
  }
}
