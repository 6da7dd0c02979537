package org.vstar.spark.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.vstar.spark.catalyst.ScalaLists;
import org.vstar.spark.table.StoredTables.StoredTable;
import scala.Option;

/** A table of a run: Spark's own reader of Parquet, which is told the columns and cannot write. */
final class RunTable implements Table, SupportsRead {

  /** A flipped bit on a disk must not become another return. */
  private static final Map<String, String> CHECKED =
      Map.of("parquet.page.verify-checksum.enabled", "true");

  private final StoredTable stored;
  private final ParquetTable files;
  private final Supplier<Map<String, String>> properties;

  RunTable(String name, StoredTable stored, Supplier<Map<String, String>> properties) {
    this.stored = stored;
    List<String> paths = stored.places().stream().map(Path::toString).toList();
    this.files =
        new ParquetTable(
            name,
            SparkSession.active(),
            new CaseInsensitiveStringMap(CHECKED),
            ScalaLists.seq(paths),
            Option.apply(stored.columns()),
            ParquetFileFormat.class);
    this.properties = properties;
  }

  @Override
  public String name() {
    return files.name();
  }

  @Override
  @SuppressWarnings("deprecation") // what takes its place asks this one
  public StructType schema() {
    return files.schema();
  }

  @Override
  public Map<String, String> properties() {
    return properties.get();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    Map<String, String> all = new HashMap<>(CHECKED);
    all.putAll(options.asCaseSensitiveMap());
    return files.newScanBuilder(new CaseInsensitiveStringMap(all));
  }

  /** Spark finds by it what it has cached of a table; a table that has changed is another. */
  @Override
  public boolean equals(Object other) {
    return other instanceof RunTable table
        && name().equals(table.name())
        && stored.equals(table.stored);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name(), stored);
  }
}
