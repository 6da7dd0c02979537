package org.vstar.spark.sql;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.RunsFolder;
import org.vstar.spark.table.StoredTables;
import org.vstar.spark.table.StoredTables.StoredTable;

/**
 * The runs of a folder as a catalog of Spark SQL: each run is a namespace, and has the tables
 * {@code tasks}, {@code samples}, {@code vstar}, and one {@code vstar_NAME} for each time it was
 * scored anew. Only to be read.
 *
 * <pre>{@code
 * spark.sql.catalog.runs       org.vstar.spark.sql.RunCatalog
 * spark.sql.catalog.runs.root  /data/runs
 *
 * SHOW NAMESPACES IN runs;
 * SELECT * FROM runs.`webshop-1k`.vstar ORDER BY v_star_high LIMIT 10;
 * SELECT * FROM runs.`webshop-1k`.vstar VERSION AS OF 1;
 * }</pre>
 *
 * <p>With {@code spark.sql.catalog.runs.run} set, that run is the one that a session of this
 * catalog begins in. An older state is asked for by its number, by a run id, or by time.
 */
public final class RunCatalog implements TableCatalog, SupportsNamespaces {

  private static final String[][] NO_NAMESPACES = {};

  private String name;
  private RunsFolder runs;
  private Optional<String> first;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
    String root = options.get("root");
    if (root == null) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "spark.sql.catalog.%s.root is not set, expected the folder that has the runs",
              name));
    }
    runs = RunsFolder.open(root);
    first = Optional.ofNullable(options.get("run"));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String[] defaultNamespace() {
    return first.map(run -> new String[] {run}).orElseGet(() -> new String[0]);
  }

  @Override
  public String[][] listNamespaces() {
    return runs.names().stream().map(run -> new String[] {run}).toArray(String[][]::new);
  }

  @Override
  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length == 0) {
      return listNamespaces();
    }
    requireRun(namespace);
    return NO_NAMESPACES;
  }

  private StoredTables requireRun(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length != 1 || !runs.names().contains(namespace[0])) {
      throw new NoSuchNamespaceException(namespace);
    }
    return new StoredTables(runs.run(namespace[0]));
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    return Map.of(
        SupportsNamespaces.PROP_LOCATION, requireRun(namespace).store().path("").toString());
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    return requireRun(namespace).names().stream()
        .map(table -> Identifier.of(namespace, table))
        .toArray(Identifier[]::new);
  }

  @Override
  public Table loadTable(Identifier table) throws NoSuchTableException {
    StoredTables tables = tables(table);
    return open(table, tables, tables.find(nameOf(table)).orElseThrow());
  }

  @Override
  public Table loadTable(Identifier table, String version) throws NoSuchTableException {
    StoredTables tables = tables(table);
    return open(table, tables, tables.at(nameOf(table), version));
  }

  @Override
  public Table loadTable(Identifier table, long microseconds) throws NoSuchTableException {
    StoredTables tables = tables(table);
    return open(
        table,
        tables,
        tables.at(nameOf(table), Instant.EPOCH.plus(microseconds, ChronoUnit.MICROS)));
  }

  /** The tables of the run, among which there is this one. */
  private StoredTables tables(Identifier table) throws NoSuchTableException {
    try {
      StoredTables tables = requireRun(table.namespace());
      if (tables.names().contains(nameOf(table))) {
        return tables;
      }
    } catch (NoSuchNamespaceException e) {
      // Spark asks for tables of namespaces that are not there, to say so in its own words.
    }
    throw new NoSuchTableException(table);
  }

  private Table open(Identifier table, StoredTables tables, StoredTable stored) {
    return new RunTable(
        String.join(".", name, table.namespace()[0], nameOf(table)),
        stored,
        () -> tables.properties(nameOf(table)));
  }

  /** SQL's words for tables have no capitals, and people write them as they like. */
  private static String nameOf(Identifier table) {
    return table.name().toLowerCase(Locale.ROOT);
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException(
        "runs can only be read here: submit/vstar and submit/rescore write their tables");
  }

  @Override
  @SuppressWarnings("deprecation") // what takes its place calls this one
  public Table createTable(
      Identifier table, StructType columns, Transform[] parts, Map<String, String> properties) {
    throw readOnly();
  }

  @Override
  public Table alterTable(Identifier table, TableChange... changes) {
    throw readOnly();
  }

  @Override
  public boolean dropTable(Identifier table) {
    throw readOnly();
  }

  @Override
  public void renameTable(Identifier old, Identifier now) {
    throw readOnly();
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> metadata) {
    throw readOnly();
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes) {
    throw readOnly();
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade) {
    throw readOnly();
  }
}
