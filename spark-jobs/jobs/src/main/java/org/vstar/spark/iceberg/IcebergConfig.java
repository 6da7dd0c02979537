package org.vstar.spark.iceberg;

import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;

/**
 * Where {@code samples} and {@code vstar} are registered as Iceberg tables when a V* job ends.
 *
 * @param catalog the name of the catalog, which Spark's settings {@code spark.sql.catalog.NAME}
 *     describe
 * @param namespace the namespace of this run's tables, levels apart by dots
 */
public record IcebergConfig(String catalog, String namespace) {

  private static final Pattern NAME = Pattern.compile("\\w[\\w-]*");
  private static final Pattern NAMES = Pattern.compile(NAME + "(\\." + NAME + ")*");

  /** Checks the names. */
  public IcebergConfig {
    InvalidInputException.require(
        NAME.matcher(catalog).matches(),
        "iceberg.catalog",
        "'" + catalog + "'",
        "letters, digits, underscores and dashes");
    InvalidInputException.require(
        NAMES.matcher(namespace).matches(),
        "iceberg.namespace",
        "'" + namespace + "'",
        "names of letters, digits, underscores and dashes, apart by dots");
  }
}
