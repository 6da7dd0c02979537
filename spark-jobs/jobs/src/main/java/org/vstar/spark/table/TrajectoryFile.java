package org.vstar.spark.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.Row;
import org.vstar.env.Answer;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.model.engine.Sequence;
import org.vstar.model.rollout.StopReason;
import org.vstar.model.rollout.Trajectory;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;

/** One unit's trajectories as one Parquet file of the {@code trajectories} table. */
public final class TrajectoryFile {

  static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType(
          """
          message trajectory {
            required binary task_id (STRING);
            required int32 sample_index;
            required int64 seed;
            required double return;
            required boolean success;
            required binary stop_reason (STRING);
            required group turns (LIST) { repeated group list { required group element {
              required binary observation (STRING);
              required binary thought (STRING);
              required binary action (STRING);
              required int32 tokens;
              required binary state_key (STRING);
              required double reward;
              required group reward_parts (MAP) {
                repeated group key_value { required binary key (STRING); required double value; }
              }
              required boolean done;
              required boolean success;
              required boolean valid;
              required binary event (STRING);
              required boolean goal_seen;
            } } }
            required group sequences (LIST) { repeated group list { required group element {
              required group tokens (LIST) { repeated group list { required int32 element; } }
              required group agent (LIST) { repeated group list { required group element {
                required int32 from;
                required int32 until;
              } } }
              required group allowed (LIST) { repeated group list { required binary element; } }
            } } }
            required group log_probabilities (LIST) { repeated group list { required float element; } }
            required int64 duration_ms;
            required binary policy_fingerprint (STRING);
            required binary environment_fingerprint (STRING);
            required binary reward_fingerprint (STRING);
            required binary sampling_fingerprint (STRING);
          }
          """);

  private static final String LIST = "list";
  private static final String ELEMENT = "element";

  private TrajectoryFile() {}

  /**
   * Publishes a unit's trajectories.
   *
   * @param unit its name in the plan
   * @return none if there are none
   */
  public static Optional<DataFile> write(
      Store store, String unit, List<Trajectory> trajectories, Fingerprints fingerprints)
      throws IOException {
    SampleIndices indices = new SampleIndices();
    trajectories.forEach(t -> indices.add(t.task().id(), t.sampleIndex()));
    List<Group> rows = trajectories.stream().map(t -> row(t, fingerprints)).toList();
    return UnitTable.TRAJECTORIES.write(store, unit, indices, rows);
  }

  private static Group row(Trajectory t, Fingerprints fingerprints) {
    Group row = new SimpleGroup(SCHEMA);
    row.add("task_id", t.task().id());
    row.add("sample_index", t.sampleIndex());
    row.add("seed", t.seed());
    row.add("return", t.episodeReturn());
    row.add("success", t.success());
    row.add("stop_reason", t.stopReason().name().toLowerCase(Locale.ROOT));
    Group turns = row.addGroup("turns");
    for (int i = 0; i < t.turns().size(); i++) {
      add(turns.addGroup(LIST).addGroup(ELEMENT), t, i);
    }
    Group sequences = row.addGroup("sequences");
    t.sequences().forEach(s -> add(sequences.addGroup(LIST).addGroup(ELEMENT), s));
    Group logProbabilities = row.addGroup("log_probabilities");
    for (float p : t.logProbabilities()) {
      logProbabilities.addGroup(LIST).add(ELEMENT, p);
    }
    row.add("duration_ms", t.durationMillis());
    fingerprints.columns().forEach(row::add);
    return row;
  }

  private static void add(Group row, Trajectory t, int i) {
    Turn turn = t.turns().get(i);
    Outcome outcome = turn.outcome();
    row.add("observation", turn.observation());
    row.add("thought", turn.answer().thought());
    row.add("action", turn.answer().action());
    row.add("tokens", t.turnTokens()[i]);
    row.add("state_key", t.stateKeys().get(i));
    row.add("reward", outcome.reward());
    Group parts = row.addGroup("reward_parts");
    outcome
        .parts()
        .forEach(
            (part, value) ->
                parts.addGroup("key_value").append("key", part).append("value", value));
    row.add("done", outcome.done());
    row.add("success", outcome.success());
    row.add("valid", outcome.valid());
    row.add("event", outcome.event());
    row.add("goal_seen", outcome.goalSeen());
  }

  private static void add(Group row, Sequence sequence) {
    Group tokens = row.addGroup("tokens");
    for (int token : sequence.tokens()) {
      tokens.addGroup(LIST).add(ELEMENT, token);
    }
    Group agent = row.addGroup("agent");
    BitSet its = sequence.agent();
    for (int from = its.nextSetBit(0); from >= 0; ) {
      int until = its.nextClearBit(from);
      agent.addGroup(LIST).addGroup(ELEMENT).append("from", from).append("until", until);
      from = its.nextSetBit(until);
    }
    Group allowed = row.addGroup("allowed");
    for (BitSet of : sequence.allowed()) {
      allowed.addGroup(LIST).add(ELEMENT, Binary.fromConstantByteArray(of.toByteArray()));
    }
  }

  /**
   * The trajectory of a row, as it was written.
   *
   * @param task the row's
   */
  public static Trajectory trajectory(Row row, Task task) {
    List<Row> rows = row.getList(row.fieldIndex("turns"));
    List<Sequence> sequences = new ArrayList<>();
    row.<Row>getList(row.fieldIndex("sequences")).forEach(s -> sequences.add(sequence(s)));
    List<Float> logProbabilities = row.getList(row.fieldIndex("log_probabilities"));
    float[] each = new float[logProbabilities.size()];
    for (int t = 0; t < each.length; t++) {
      each[t] = logProbabilities.get(t);
    }
    return new Trajectory(
        task,
        row.<Integer>getAs("sample_index"),
        row.<Long>getAs("seed"),
        rows.stream().map(TrajectoryFile::turn).toList(),
        List.copyOf(sequences),
        rows.stream().mapToInt(turn -> turn.<Integer>getAs("tokens")).toArray(),
        rows.stream().map(turn -> turn.<String>getAs("state_key")).toList(),
        each,
        row.<Double>getAs("return"),
        row.<Boolean>getAs("success"),
        StopReason.valueOf(row.<String>getAs("stop_reason").toUpperCase(Locale.ROOT)),
        row.<Long>getAs("duration_ms"),
        0);
  }

  private static Turn turn(Row row) {
    Map<String, Double> parts =
        new HashMap<>(row.<String, Double>getJavaMap(row.fieldIndex("reward_parts")));
    return new Turn(
        row.getAs("observation"),
        new Answer(row.getAs("thought"), row.getAs("action")),
        new Outcome(
            row.<Double>getAs("reward"),
            row.<Boolean>getAs("done"),
            row.<Boolean>getAs("success"),
            row.<Boolean>getAs("valid"),
            row.getAs("event"),
            row.<Boolean>getAs("goal_seen"),
            parts));
  }

  private static Sequence sequence(Row row) {
    List<Integer> tokens = row.getList(row.fieldIndex("tokens"));
    BitSet agent = new BitSet();
    row.<Row>getList(row.fieldIndex("agent"))
        .forEach(span -> agent.set(span.<Integer>getAs("from"), span.<Integer>getAs("until")));
    List<BitSet> allowed = new ArrayList<>();
    row.<byte[]>getList(row.fieldIndex("allowed")).forEach(of -> allowed.add(BitSet.valueOf(of)));
    return new Sequence(
        tokens.stream().mapToInt(Integer::intValue).toArray(), agent, List.copyOf(allowed));
  }
}
