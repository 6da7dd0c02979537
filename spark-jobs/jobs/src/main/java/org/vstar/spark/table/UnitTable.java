package org.vstar.spark.table;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.vstar.common.ContentHash;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.table.ParquetCheck.DamagedFileException;

/**
 * The tables whose rows are of samples. Executors publish a file a unit of work; {@link
 * SampleTable} says which files are in a table.
 */
public enum UnitTable {
  /** What came of each sample, without its tokens. */
  SAMPLES(Tables.SAMPLES, "samples", SampleFile.SCHEMA),
  /** All turns and tokens of each sample. */
  TRAJECTORIES(Tables.TRAJECTORIES, "trajectories", TrajectoryFile.SCHEMA);

  private static final String END = ".parquet";

  private final String folder;
  private final String noun;
  private final MessageType schema;

  UnitTable(String folder, String noun, MessageType schema) {
    this.folder = folder;
    this.noun = noun;
    this.schema = schema;
  }

  /** The name of its folder in a run. */
  public String folder() {
    return folder;
  }

  /** What its rows are called in messages. */
  String noun() {
    return noun;
  }

  /** Files of units lie beside the table; what is in it is in the table if a manifest says so. */
  private String units() {
    return TableLog.internals(folder) + "units/unit-";
  }

  /** What the names of merged files begin with. */
  String merged() {
    return folder + "/" + noun + "-";
  }

  /** Whether a file is that of a unit. */
  boolean isUnit(DataFile file) {
    return file.name().startsWith(units());
  }

  /**
   * Publishes a unit's rows as a file. It is in the table when the driver says so. A second attempt
   * at the unit writes another file.
   *
   * @param unit its name in the plan
   * @param indices which samples the rows are of
   * @return none if there are no rows
   */
  Optional<DataFile> write(Store store, String unit, SampleIndices indices, List<Group> rows)
      throws IOException {
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        DataFile.publish(
            store,
            units() + unit + "-" + attempt() + END,
            rows.size(),
            indices.parts(),
            out -> {
              try (ParquetWriter<Group> writer = writer(store, out)) {
                for (Group row : rows) {
                  writer.write(row);
                }
              }
            }));
  }

  private static String attempt() {
    return UUID.randomUUID().toString().substring(0, 8);
  }

  /**
   * Publishes what some units have as one file. Every page is read against its checksum.
   *
   * @throws IOException also if one of them is damaged, naming it
   */
  DataFile merge(Store store, List<DataFile> units) throws IOException {
    ContentHash name = new ContentHash();
    SampleIndices indices = new SampleIndices();
    for (DataFile unit : units) {
      name.add(unit.hash());
      indices.addAll(SampleIndices.of(unit.parts()));
    }
    return DataFile.publish(
        store,
        merged() + name.hex() + "-" + attempt() + END,
        units.stream().mapToLong(DataFile::rows).sum(),
        indices.parts(),
        out -> {
          try (ParquetWriter<Group> writer = writer(store, out)) {
            for (DataFile unit : units) {
              for (Group row : rows(store, unit)) {
                writer.write(row);
              }
            }
          }
        });
  }

  /**
   * All rows of a run as text, sorted, less what no two runs share: how long each sample took.
   *
   * @throws IOException also if a file is damaged, naming it
   */
  public List<String> texts(Store store) throws IOException {
    List<String> texts = new ArrayList<>();
    for (DataFile file : new TableLog(store, folder).now().files().values()) {
      for (Group row : rows(store, file)) {
        texts.add(row.toString().replaceAll("duration_ms: \\d+\n", ""));
      }
    }
    Collections.sort(texts);
    return texts;
  }

  private List<Group> rows(Store store, DataFile unit) throws IOException {
    List<Group> rows = new ArrayList<>();
    try {
      ParquetCheck.read(store, unit.name(), schema::equals, rows::add);
    } catch (DamagedFileException e) {
      throw new IOException(store.location(unit.name()) + " is damaged: " + e.getMessage(), e);
    }
    if (rows.size() != unit.rows()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s has %d rows, its manifest says %d",
              store.location(unit.name()),
              rows.size(),
              unit.rows()));
    }
    return rows;
  }

  private ParquetWriter<Group> writer(Store store, OutputStream out) throws IOException {
    return ExampleParquetWriter.builder(new StreamOutputFile(out))
        .withType(schema)
        .withConf(store.settings())
        .withPageWriteChecksumEnabled(true)
        .withCompressionCodec(CompressionCodecName.SNAPPY)
        .build();
  }
}
