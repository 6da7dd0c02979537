package org.vstar.spark.table;

import java.io.IOException;
import java.io.Serializable;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.vstar.common.ContentHash;
import org.vstar.spark.store.HadoopRunStore;
import org.vstar.spark.table.ParquetCheck.DamagedFileException;

/**
 * One unit's samples as one Parquet file of the {@code samples} table.
 *
 * <p>The file is named after its samples and appears by a rename once it is whole. So a unit is in
 * the table or it is not, whatever is killed when; and of a unit that runs twice (a lost executor,
 * a speculative copy) the first to end is kept.
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

  private static final String BEGIN = Tables.SAMPLES + "/unit-";
  private static final String END = ".parquet";

  private SampleFile() {}

  /**
   * Publishes samples as a file of {@code tables/samples}, unless there are none. The file is named
   * after which samples it has: one of a unit that lacks some is another than the whole unit's.
   */
  public static void write(HadoopRunStore store, List<Sample> samples, Fingerprints fingerprints)
      throws IOException {
    if (samples.isEmpty()) {
      return;
    }
    ContentHash name = new ContentHash();
    samples.forEach(sample -> name.add(sample.taskId()).add(sample.sampleIndex()));
    Configuration hadoop = new Configuration();
    store.publishOnce(
        BEGIN + name.hex() + END,
        path -> {
          try (ParquetWriter<Group> writer =
              ExampleParquetWriter.builder(HadoopOutputFile.fromPath(path, hadoop))
                  .withType(SCHEMA)
                  .withConf(hadoop)
                  .withPageWriteChecksumEnabled(true)
                  .withCompressionCodec(CompressionCodecName.SNAPPY)
                  .build()) {
            for (Sample sample : samples) {
              writer.write(row(sample, fingerprints));
            }
          }
        });
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

  /**
   * What a file of the table's folder turned out to be.
   *
   * @param name of the file in the store
   * @param damage why it cannot be used; null if it can
   * @param foreign of a whole file of another run, by what it differs; null if it is of this one
   * @param indices the sample indices of each task
   */
  record Look(String name, String damage, String foreign, Map<String, BitSet> indices)
      implements Serializable {
    /** The same file, which is not to be used. */
    Look without(String reason) {
      return new Look(name, reason, null, Map.of());
    }

    long samples() {
      return indices.values().stream().mapToLong(BitSet::cardinality).sum();
    }

    boolean usable() {
      return damage == null && foreign == null;
    }
  }

  /** Reads a file and checks every row of it; runs on executors. */
  static Look look(HadoopRunStore store, String name, Fingerprints fingerprints, long seed)
      throws IOException {
    Map<String, BitSet> indices = new HashMap<>();
    Map<String, Integer> foreign = new HashMap<>();
    try {
      if (!name.endsWith(END) || !name.startsWith(BEGIN)) {
        throw new DamagedFileException("it is no unit of samples", null);
      }
      long rows =
          ParquetCheck.read(
              store.path(name),
              SCHEMA::equals,
              row -> {
                SampleKey key =
                    new SampleKey(row.getString("task_id", 0), row.getInteger("sample_index", 0));
                requireFinite(row, key);
                String difference = difference(row, key, fingerprints, seed);
                if (difference == null) {
                  indices.computeIfAbsent(key.taskId(), k -> new BitSet()).set(key.sampleIndex());
                } else {
                  foreign.merge(difference, 1, Integer::sum);
                }
              });
      if (!foreign.isEmpty() && !indices.isEmpty() || foreign.size() > 1) {
        throw new DamagedFileException("some of its rows are of another run", null);
      }
      String only = foreign.keySet().stream().findFirst().orElse(null);
      return new Look(name, rows == 0 ? "it has no rows" : null, only, indices);
    } catch (DamagedFileException e) {
      return new Look(name, e.getMessage(), null, Map.of());
    }
  }

  private static void requireFinite(Group row, SampleKey key) {
    double episodeReturn = row.getDouble("return", 0);
    if (!Double.isFinite(episodeReturn)) {
      throw new ArithmeticException(
          String.format(
              "sample %d of task %s has return %s",
              key.sampleIndex(), key.taskId(), episodeReturn));
    }
  }

  /** What a row was made under that this run is not; null if nothing. */
  private static String difference(Group row, SampleKey key, Fingerprints own, long seed) {
    for (Map.Entry<String, String> column : own.columns().entrySet()) {
      String found = row.getString(column.getKey(), 0);
      if (!Objects.equals(found, column.getValue())) {
        return own.difference(column.getKey(), found);
      }
    }
    return row.getLong("seed", 0) == key.seed(seed, own)
        ? null
        : "was drawn under another seed than this run's "
            + seed
            + ": use that seed, or another --out";
  }
}
