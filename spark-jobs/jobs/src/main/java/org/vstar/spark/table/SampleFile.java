package org.vstar.spark.table;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;

/** One unit's samples as one Parquet file of the {@code samples} table. */
public final class SampleFile {

  static final MessageType SCHEMA =
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

  private SampleFile() {}

  /**
   * Publishes a unit's samples.
   *
   * @param unit its name in the plan
   * @return none if there are no samples
   */
  public static Optional<DataFile> write(
      Store store, String unit, List<Sample> samples, Fingerprints fingerprints)
      throws IOException {
    SampleIndices indices = new SampleIndices();
    samples.forEach(sample -> indices.add(sample.taskId(), sample.sampleIndex()));
    List<Group> rows = samples.stream().map(sample -> row(sample, fingerprints)).toList();
    return UnitTable.SAMPLES.write(store, unit, indices, rows);
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
