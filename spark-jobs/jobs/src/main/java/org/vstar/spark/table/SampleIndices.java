package org.vstar.spark.table;

import java.util.BitSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Which samples of which tasks. */
public final class SampleIndices {

  private final SortedMap<String, BitSet> byTask = new TreeMap<>();

  /** Adds a sample. */
  public void add(String task, int index) {
    byTask.computeIfAbsent(task, t -> new BitSet()).set(index);
  }

  /** Adds samples of a task. */
  public void add(String task, BitSet indices) {
    byTask.computeIfAbsent(task, t -> new BitSet()).or(indices);
  }

  /** How many there are. */
  public long size() {
    return byTask.values().stream().mapToLong(BitSet::cardinality).sum();
  }

  /** What {@link #parts} gave. */
  static SampleIndices of(Map<String, String> parts) {
    SampleIndices indices = new SampleIndices();
    parts.forEach(
        (task, ranges) -> {
          BitSet there = indices.byTask.computeIfAbsent(task, t -> new BitSet());
          for (String range : ranges.split(",")) {
            String[] ends = range.split("-");
            there.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
          }
        });
    return indices;
  }

  /** Adds others. */
  void addAll(SampleIndices more) {
    more.byTask.forEach(this::add);
  }

  /** How many of others it has. */
  long common(SampleIndices others) {
    long common = 0;
    for (Map.Entry<String, BitSet> task : others.byTask.entrySet()) {
      BitSet both = (BitSet) task.getValue().clone();
      both.and(byTask.getOrDefault(task.getKey(), new BitSet()));
      common += both.cardinality();
    }
    return common;
  }

  /** The sample indices of each task. */
  public Map<String, BitSet> byTask() {
    return byTask;
  }

  /** As text: {@code 0-7,9} by task. */
  public SortedMap<String, String> parts() {
    SortedMap<String, String> parts = new TreeMap<>();
    byTask.forEach(
        (task, indices) -> {
          StringJoiner ranges = new StringJoiner(",");
          for (int from = indices.nextSetBit(0); from >= 0; ) {
            int end = indices.nextClearBit(from);
            ranges.add(end - from == 1 ? "" + from : from + "-" + (end - 1));
            from = indices.nextSetBit(end);
          }
          parts.put(task, ranges.toString());
        });
    return parts;
  }
}
