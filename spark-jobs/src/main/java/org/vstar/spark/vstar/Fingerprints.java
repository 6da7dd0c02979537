package org.vstar.spark.vstar;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Sampling;

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

  public static Fingerprints of(Policy reference, Environment environment, Sampling sampling) {
    return new Fingerprints(
        reference.fingerprint(),
        environment.fingerprint(),
        environment.rewardFingerprint(),
        sampling.fingerprint());
  }

  /** Column name → value, in the tables' order. */
  public Map<String, String> columns() {
    Map<String, String> columns = new LinkedHashMap<>();
    columns.put("policy" + SUFFIX, policy);
    columns.put("environment" + SUFFIX, environment);
    columns.put("reward" + SUFFIX, reward);
    columns.put("sampling" + SUFFIX, sampling);
    return columns;
  }

  /**
   * Refuses a table that was made under anything else.
   *
   * @param row a row with the four columns
   * @throws InputError saying which of the four differs
   */
  public void require(String table, Row row) {
    columns()
        .forEach(
            (column, value) -> {
              String found = row.getAs(column);
              if (!value.equals(found)) {
                String what = column.substring(0, column.length() - SUFFIX.length());
                throw new InputError(
                    table
                        + " was made with another "
                        + (what.equals("policy") ? "reference " : "")
                        + what
                        + " ("
                        + column
                        + " "
                        + found
                        + ", this run has "
                        + value
                        + "): run submit/vstar for this config into another --out");
              }
            });
  }
}
