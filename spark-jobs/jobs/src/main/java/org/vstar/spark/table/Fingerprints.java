package org.vstar.spark.table;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;

/**
 * The four hashes that a sample, a V* and a training run must agree on.
 *
 * @param policy of the reference policy
 * @param environment of the rules and data
 * @param reward of the reward settings
 * @param sampling of the sampling settings
 */
public record Fingerprints(String policy, String environment, String reward, String sampling)
    implements Serializable {

  private static final String SUFFIX = "_fingerprint";

  /** Their columns, in the tables' order. */
  static final List<String> COLUMNS =
      List.of("policy" + SUFFIX, "environment" + SUFFIX, "reward" + SUFFIX, "sampling" + SUFFIX);

  /** Those of a run. */
  public static Fingerprints of(
      Policy reference, Environment environment, SamplingConfig sampling) {
    return new Fingerprints(
        reference.fingerprint(),
        environment.fingerprint(),
        environment.rewardFingerprint(),
        sampling.fingerprint());
  }

  /** What a run's own hash is taken of. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("fingerprints", 1)
        .with("policy", policy)
        .with("environment", environment)
        .with("reward", reward)
        .with("sampling", sampling);
  }

  /** Column name → value, in the tables' order. */
  public Map<String, String> columns() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put(COLUMNS.get(0), policy);
    columns.put(COLUMNS.get(1), environment);
    columns.put(COLUMNS.get(2), reward);
    columns.put(COLUMNS.get(3), sampling);
    return columns;
  }

  /**
   * Refuses a table that was made under anything else.
   *
   * @param row a row with the four columns
   * @throws InvalidInputException saying which of the four differs
   */
  public void require(String table, Row row) {
    columns()
        .forEach(
            (column, value) -> {
              String found = row.getAs(column);
              if (!value.equals(found)) {
                throw new InvalidInputException(table + " " + difference(column, found));
              }
            });
  }

  /** What a table was made under that this run is not, and what to do. */
  String difference(String column, String found) {
    String what = column.substring(0, column.length() - SUFFIX.length());
    return String.format(
        Locale.ROOT,
        "was made with another %s%s (%s %s, this run has %s): run submit/vstar for this config into"
            + " another --out",
        what.equals("policy") ? "reference " : "",
        what,
        column,
        found,
        columns().get(column));
  }
}
