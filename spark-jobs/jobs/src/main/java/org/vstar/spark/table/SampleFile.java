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
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.vstar.common.ContentHash;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.table.ParquetCheck.DamagedFileException;

/**
 * One unit's samples as one Parquet file of the {@code samples} table.
 *
 * <p>Executors publish these files; {@link SampleTable} says which of them are in the table.
 */
public final class SampleFile {

  private static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType(
          """
          message sample {
            required binary task_id (STRING);
            required int32 sample_index;
            required int64 seed;
            required double return;
            required boolean success;
            required int32 turns;
            required int32 tokens;
            required binary stop_reason (STRING);
            required group actions (LIST) { repeated group list { required binary element (STRING); } }
            required double ref_logprob;
            required int64 duration_ms;
            required binary policy_fingerprint (STRING);
            required binary environment_fingerprint (STRING);
            required binary reward_fingerprint (STRING);
            required binary sampling_fingerprint (STRING);
            required group reward_parts (MAP) {
              repeated group key_value { required binary key (STRING); required double value; }
            }
          }
          """);

  /** Beside the table; what is in it is in the table if a manifest says so. */
  private static final String UNITS = TableLog.internals(Tables.SAMPLES) + "units/unit-";

  static final String MERGED = Tables.SAMPLES + "/samples-";
  private static final String END = ".parquet";

  private SampleFile() {}

  /**
   * Publishes a unit's samples as a file. It is in the table when the driver says so. A second
   * attempt at the unit writes another file.
   *
   * @param unit its name in the plan
   * @return none if there are no samples
   */
  public static Optional<DataFile> write(
      Store store, String unit, List<Sample> samples, Fingerprints fingerprints)
      throws IOException {
    if (samples.isEmpty()) {
      return Optional.empty();
    }
    SampleIndices indices = new SampleIndices();
    samples.forEach(sample -> indices.add(sample.taskId(), sample.sampleIndex()));
    return Optional.of(
        DataFile.publish(
            store,
            UNITS + unit + "-" + attempt() + END,
            samples.size(),
            indices.parts(),
            out -> {
              try (ParquetWriter<Group> writer = writer(store, out)) {
                for (Sample sample : samples) {
                  writer.write(row(sample, fingerprints));
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
  static DataFile merge(Store store, List<DataFile> units) throws IOException {
    ContentHash name = new ContentHash();
    SampleIndices indices = new SampleIndices();
    for (DataFile unit : units) {
      name.add(unit.hash());
      indices.addAll(SampleIndices.of(unit.parts()));
    }
    return DataFile.publish(
        store,
        MERGED + name.hex() + "-" + attempt() + END,
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
   * All samples of a run as text, sorted, less what no two runs share: how long each took.
   *
   * @throws IOException also if a file is damaged, naming it
   */
  public static List<String> texts(Store store) throws IOException {
    List<String> texts = new ArrayList<>();
    for (DataFile file : new TableLog(store, Tables.SAMPLES).now().files().values()) {
      for (Group row : rows(store, file)) {
        texts.add(row.toString().replaceAll("duration_ms: \\d+\n", ""));
      }
    }
    Collections.sort(texts);
    return texts;
  }

  /** Whether a file is that of a unit. */
  static boolean isUnit(DataFile file) {
    return file.name().startsWith(UNITS);
  }

  private static List<Group> rows(Store store, DataFile unit) throws IOException {
    List<Group> rows = new ArrayList<>();
    try {
      ParquetCheck.read(store, unit.name(), SCHEMA::equals, rows::add);
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

  private static ParquetWriter<Group> writer(Store store, OutputStream out) throws IOException {
    return ExampleParquetWriter.builder(new StreamOutputFile(out))
        .withType(SCHEMA)
        .withConf(store.settings())
        .withPageWriteChecksumEnabled(true)
        .withCompressionCodec(CompressionCodecName.SNAPPY)
        .build();
  }

  private static Group row(Sample s, Fingerprints fingerprints) {
    Group row = new SimpleGroup(SCHEMA);
    row.add("task_id", s.taskId());
    row.add("sample_index", s.sampleIndex());
    row.add("seed", s.seed());
    row.add("return", s.episodeReturn());
    row.add("success", s.success());
    row.add("turns", s.turns());
    row.add("tokens", s.tokens());
    row.add("stop_reason", s.stopReason());
    Group actions = row.addGroup("actions");
    s.actions().forEach(a -> actions.addGroup("list").add("element", a));
    row.add("ref_logprob", s.refLogprob());
    Group parts = row.addGroup("reward_parts");
    s.rewardParts()
        .forEach(
            (part, value) ->
                parts.addGroup("key_value").append("key", part).append("value", value));
    row.add("duration_ms", s.durationMs());
    fingerprints.columns().forEach(row::add);
    return row;
  }
}
