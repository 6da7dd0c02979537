package org.vstar.spark.iceberg;

import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.MappingUtil;
import org.apache.iceberg.mapping.NameMapping;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;

/**
 * Registers a run's tables in an Iceberg catalog. The files stay where and as they are: a table of
 * the catalog names the same files as the run's own manifests did when the job ended, by one commit
 * of Iceberg's.
 */
public final class IcebergTables {

  private static final String JAR =
      "add it with --packages, for Spark 3.5"
          + " org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.2";

  /** The table's property that says which run it is of. */
  private static final String PLACE = "vstar.place";

  private final IcebergConfig config;
  private final Catalog catalog;

  private IcebergTables(IcebergConfig config, Catalog catalog) {
    this.config = config;
    this.catalog = catalog;
  }

  /**
   * Opens the catalog, before work is spent that could not be registered.
   *
   * @throws InvalidInputException if Iceberg is not among the jars, or Spark knows no such catalog
   */
  public static IcebergTables open(SparkSession spark, IcebergConfig config) {
    try {
      return new IcebergTables(config, Spark3Util.loadIcebergCatalog(spark, config.catalog()));
    } catch (LinkageError e) {
      throw new InvalidInputException(
          "the config has a section iceberg, and Iceberg is not among the jars, or is of another Spark"
              + " than "
              + spark.version()
              + " ("
              + e.getClass().getSimpleName()
              + "): "
              + JAR,
          e);
    } catch (Exception e) {
      // Scala's checked exceptions are declared nowhere.
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "cannot open the Iceberg catalog '%s' (%s): set spark.sql.catalog.%s and what it needs",
              config.catalog(),
              InvalidInputException.oneLine(e.toString()),
              config.catalog()),
          e);
    }
  }

  /**
   * Makes a table of the catalog name the files that a table of the run names now.
   *
   * @param name what the catalog calls it
   * @param from the table's folder in the run
   * @throws InvalidInputException if the catalog's table is of another run, or somebody else has
   *     changed it
   */
  public void register(Store store, String name, String from, StructType columns) {
    TableLog.Snapshot now = new TableLog(store, from).now();
    Map<String, org.vstar.spark.store.DataFile> wanted = new TreeMap<>();
    now.files().values().forEach(file -> wanted.put(store.path(file.name()).toString(), file));
    Table table = table(TableIdentifier.of(namespace(), name), store, columns);
    OverwriteFiles change = table.newOverwrite();
    boolean changed = false;
    for (DataFile there : files(table)) {
      if (wanted.remove(there.location()) == null) {
        change.deleteFile(there);
        changed = true;
      }
    }
    for (Map.Entry<String, org.vstar.spark.store.DataFile> file : wanted.entrySet()) {
      change.addFile(described(table, file.getKey(), file.getValue().bytes()));
      changed = true;
    }
    if (changed) {
      try {
        change.set("vstar.state", String.valueOf(now.number())).commit();
      } catch (ValidationException | CommitFailedException e) {
        throw new InvalidInputException(
            "the Iceberg table " + table.name() + " was changed by others: " + e.getMessage(), e);
      }
    }
  }

  private Namespace namespace() {
    return Namespace.of(config.namespace().split("\\."));
  }

  private Table table(TableIdentifier id, Store store, StructType columns) {
    String place = store.path("").toString();
    if (!catalog.tableExists(id)) {
      if (catalog instanceof SupportsNamespaces spaces && !spaces.namespaceExists(id.namespace())) {
        spaces.createNamespace(id.namespace());
      }
      catalog
          .buildTable(id, SparkSchemaUtil.convert(columns))
          // The run's own gc deletes files, Iceberg must not.
          .withProperty(TableProperties.GC_ENABLED, "false")
          .withProperty(PLACE, place)
          .create();
    }
    Table table = catalog.loadTable(id);
    String found = table.properties().get(PLACE);
    if (!place.equals(found)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "the Iceberg table %s is of %s, this run is in %s: use another iceberg.namespace",
              table.name(),
              found == null ? "no run of Vstar's" : "the run in " + found,
              place));
    }
    // Files have names and no ids, which the catalog gives. A job may have been killed before this.
    if (!table.properties().containsKey(TableProperties.DEFAULT_NAME_MAPPING)) {
      table
          .updateProperties()
          .set(
              TableProperties.DEFAULT_NAME_MAPPING,
              NameMappingParser.toJson(MappingUtil.create(table.schema())))
          .commit();
    }
    return table;
  }

  private static Collection<DataFile> files(Table table) {
    Map<String, DataFile> files = new TreeMap<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> files.put(task.file().location(), task.file()));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read the Iceberg table " + table.name(), e);
    }
    return files.values();
  }

  private static DataFile described(Table table, String path, long bytes) {
    InputFile file = table.io().newInputFile(path, bytes);
    NameMapping names =
        NameMappingParser.fromJson(table.properties().get(TableProperties.DEFAULT_NAME_MAPPING));
    return DataFiles.builder(table.spec())
        .withPath(path)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(bytes)
        .withMetrics(ParquetUtil.fileMetrics(file, MetricsConfig.forTable(table), names))
        .build();
  }
}
