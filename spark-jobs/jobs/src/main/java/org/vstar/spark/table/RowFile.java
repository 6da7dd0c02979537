package org.vstar.spark.table;

import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport;
import org.apache.spark.sql.execution.datasources.parquet.SparkToParquetSchemaConverter;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.ContentHash;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;

/**
 * Rows of Spark's as one Parquet file, which is published by whoever writes it.
 *
 * <p>The same rows are not always the same bytes: a file names its encodings in an order that
 * differs from JVM to JVM. So rows have a hash of their own.
 */
final class RowFile {

  private static final String ROWS_HASH = "rows";

  private RowFile() {}

  /** The hash of a file's rows and columns. */
  static String rowsHash(DataFile file) {
    return file.parts().get(ROWS_HASH);
  }

  /**
   * Publishes rows.
   *
   * @param columns of them, of plain types; what they mean is kept in the file as Spark does
   */
  static DataFile write(Store store, String name, StructType columns, Iterator<Row> rows)
      throws IOException {
    MessageType schema = schema(columns);
    long[] count = new long[1];
    ContentHash content = new ContentHash().add(columns.json());
    DataFile written =
        DataFile.publish(
            store,
            name,
            0,
            new TreeMap<>(),
            out -> {
              try (ParquetWriter<Group> writer =
                  ExampleParquetWriter.builder(new StreamOutputFile(out))
                      .withType(schema)
                      .withExtraMetaData(
                          Map.of(ParquetReadSupport.SPARK_METADATA_KEY(), columns.json()))
                      .withConf(store.settings())
                      .withPageWriteChecksumEnabled(true)
                      .withCompressionCodec(CompressionCodecName.SNAPPY)
                      .build()) {
                while (rows.hasNext()) {
                  Row row = rows.next();
                  writer.write(group(schema, row));
                  add(content, row);
                  count[0]++;
                }
              }
            });
    return written.with(count[0], new TreeMap<>(Map.of(ROWS_HASH, content.hex())));
  }

  private static void add(ContentHash content, Row row) {
    for (int i = 0; i < row.length(); i++) {
      content.add(row.isNullAt(i) ? 0 : 1).add(String.valueOf(row.get(i)));
    }
  }

  private static MessageType schema(StructType columns) {
    return new SparkToParquetSchemaConverter(SQLConf.get()).convert(columns);
  }

  private static Group group(MessageType schema, Row row) {
    Group group = new SimpleGroup(schema);
    for (int i = 0; i < row.length(); i++) {
      if (row.isNullAt(i)) {
        if (schema.getType(i).isRepetition(Repetition.REQUIRED)) {
          throw new IllegalArgumentException(
              "column " + schema.getFieldName(i) + " has no value in " + row);
        }
        continue;
      }
      Object value = row.get(i);
      if (value instanceof String text) {
        group.add(i, text);
      } else if (value instanceof Boolean yes) {
        group.add(i, yes);
      } else if (value instanceof Integer number) {
        group.add(i, number);
      } else if (value instanceof Long number) {
        group.add(i, number);
      } else if (value instanceof Double number) {
        group.add(i, number);
      } else {
        throw new IllegalArgumentException(
            "column " + schema.getFieldName(i) + " has a value of type " + value.getClass());
      }
    }
    return group;
  }
}
