package org.vstar.spark.table;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.ParquetCheck.DamagedFileException;

/**
 * A table that is one file, so that a new one takes the place of the old one at once.
 *
 * @param store where it is
 * @param table the name of its folder
 * @param columns what it has to have; it may have more
 */
record TableFile(HadoopRunStore store, String table, StructType columns) {

  /**
   * The names of the Parquet files in its folder: none, its own, or what else somebody put there.
   */
  List<String> files() {
    try {
      return store.list(table + "/").stream()
          .filter(file -> file.endsWith(".parquet") && file.lastIndexOf('/') == table.length())
          .toList();
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(table), e);
    }
  }

  /**
   * Reads all files whole.
   *
   * @throws DamagedFileException naming the first that is damaged or has other columns
   */
  void check() throws DamagedFileException {
    for (String file : files()) {
      try {
        rows(store.path(file));
      } catch (DamagedFileException e) {
        throw new DamagedFileException(
            store.location(file) + " is damaged or of another table (" + e.getMessage() + ")", e);
      } catch (IOException e) {
        throw InvalidInputException.cannot("read " + store.location(file), e);
      }
    }
  }

  private long rows(Path file) throws IOException, DamagedFileException {
    return ParquetCheck.read(file, this::fits, row -> {});
  }

  /** Whether all columns are there with their types; one that may be null may be missing. */
  boolean fits(MessageType found) {
    return Arrays.stream(columns.fields())
        .allMatch(
            column ->
                !found.containsField(column.name())
                    ? column.nullable()
                    : found.getType(column.name()).isPrimitive()
                        && !found.getType(column.name()).isRepetition(Repetition.REPEATED)
                        && found
                            .getType(column.name())
                            .asPrimitiveType()
                            .getPrimitiveTypeName()
                            .equals(stored(column.dataType())));
  }

  /** What a column is in Parquet. */
  private static PrimitiveTypeName stored(DataType type) {
    if (type.equals(DataTypes.StringType)) {
      return PrimitiveTypeName.BINARY;
    }
    if (type.equals(DataTypes.BooleanType)) {
      return PrimitiveTypeName.BOOLEAN;
    }
    return type.equals(DataTypes.DoubleType) ? PrimitiveTypeName.DOUBLE : PrimitiveTypeName.INT32;
  }

  /**
   * Writes the table, in the place of the old one at once. Other files of its folder are put aside.
   *
   * @param expected how many rows it has to have, at least
   * @return how many it has
   * @throws InvalidInputException if it would have fewer; the old one stays then
   */
  long replace(Dataset<Row> rows, long expected) {
    Path scratch = store.scratch(Tables.FOLDER);
    String file = table + table.substring(table.lastIndexOf('/')) + ".parquet";
    try {
      rows.repartition(1)
          .sortWithinPartitions("task_id")
          .write()
          .option("compression", "snappy")
          .parquet(scratch.toString());
      Path part = part(scratch);
      long found = rows(part);
      if (found < expected) {
        throw new InvalidInputException(
            String.format(
                "%s would have %d rows, expected %d or more: do driver and executors see the same"
                    + " folder?",
                store.location(table), found, expected));
      }
      store.adopt(part, file);
      putOthersAside(file);
      return found;
    } catch (DamagedFileException e) {
      throw new InvalidInputException(
          "what was written for " + store.location(table) + " cannot be read: " + e.getMessage(),
          e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(table), e);
    } finally {
      delete(scratch);
    }
  }

  private void putOthersAside(String own) throws IOException {
    for (String file : files()) {
      if (!file.equals(own)) {
        String now = store.moveInto(SampleFiles.ASIDE, file);
        System.err.printf(
            "%s does not belong there: moved to %s%n", store.location(file), store.location(now));
      }
    }
  }

  private static Path part(Path scratch) throws IOException {
    FileSystem files = scratch.getFileSystem(new Configuration());
    for (var status : files.listStatus(scratch)) {
      if (status.getPath().getName().endsWith(".parquet")) {
        return status.getPath();
      }
    }
    throw new IOException("Spark wrote no file into " + scratch);
  }

  private void delete(Path scratch) {
    try {
      store.deleteScratch(scratch);
    } catch (IOException e) {
      System.err.printf("cannot delete %s: %s%n", scratch, e.getMessage());
    }
  }
}
