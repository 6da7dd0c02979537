package org.vstar.model.advantage;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.advantage.ValueTracker.Tracked;
import org.vstar.model.engine.Sequence;

/** The returns of a step against what {@link ValueTracker} has of their tasks. */
public final class TrackedAdvantage implements AdvantageEstimator {

  /** A task of known outcome is still taken so often: SPO's ε. */
  private static final double LEAST_PRIORITY = 0.05;

  private static final double EPSILON = 1e-8;

  /**
   * What is known of a task.
   *
   * @param last the sequences of its last trajectory
   * @param logProbabilities ln π of their agent tokens under the policy that wrote them
   */
  private record Known(Tracked tracked, List<Sequence> last, float[] logProbabilities) {}

  /**
   * All that is known, in a checkpoint.
   *
   * @param sets of tokens that were allowed, each once: {@link BitSet#toByteArray}
   */
  private record Stored(List<byte[]> sets, Map<String, StoredTask> tasks) {}

  private record StoredTask(
      double value, double weight, List<StoredSequence> last, float[] logProbabilities) {}

  /**
   * A sequence in a checkpoint.
   *
   * @param agent {@link BitSet#toByteArray}
   * @param allowed for each agent token which of the sets; empty where all are allowed
   */
  private record StoredSequence(int[] tokens, byte[] agent, int[] allowed) {

    static StoredSequence of(Sequence own, Map<BitSet, Integer> sets) {
      return new StoredSequence(
          own.tokens(),
          own.agent().toByteArray(),
          own.allowed().stream()
              .mapToInt(set -> sets.computeIfAbsent(set, fresh -> sets.size()))
              .toArray());
    }

    Sequence sequence(List<BitSet> sets) {
      return new Sequence(
          tokens, BitSet.valueOf(agent), Arrays.stream(allowed).mapToObj(sets::get).toList());
    }
  }

  private final ValueTracker tracker;
  private final Map<String, Double> means;
  private final PolicyScorer policy;
  private final Map<String, Known> known = new TreeMap<>();
  private final Map<String, Double> metrics = new HashMap<>();

  /**
   * Tracks from now on.
   *
   * @param baselines the reference policy's means, and who scores
   */
  public TrackedAdvantage(ValueTracker tracker, Baselines baselines) {
    this.tracker = tracker;
    this.means = baselines.means();
    this.policy = baselines.policy();
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    Map<String, Double> divergence = divergence(new LinkedHashSet<>(ScoredTrajectory.tasks(step)));
    double[] values = new double[step.size()];
    double[] retentions = new double[step.size()];
    for (int i = 0; i < values.length; i++) {
      ScoredTrajectory own = step.get(i);
      String task = own.trajectory().task().id();
      Tracked before = tracked(task);
      // A task that a step takes twice is taken by the same policy both times.
      double rho = tracker.retention(Objects.requireNonNullElse(divergence.put(task, 0.0), 0.0));
      values[i] = before.value();
      retentions[i] = rho;
      Tracked after = ValueTracker.after(before, rho, own.trajectory().episodeReturn());
      known.put(task, new Known(after, own.trajectory().sequences(), own.old()));
    }
    metrics.put("value", Moments.of(values).mean());
    metrics.put("retention", Moments.of(retentions).mean());
    metrics.values().removeIf(each -> !Double.isFinite(each));
    return Advantage.each(normalized(step, values));
  }

  private Tracked tracked(String task) {
    Known own = known.get(task);
    return own == null ? tracker.first(means, task) : own.tracked;
  }

  /** D of each task that was taken before. */
  private Map<String, Double> divergence(Set<String> tasks) {
    List<String> before = tasks.stream().filter(known::containsKey).toList();
    Map<String, Double> divergence = new HashMap<>();
    if (before.isEmpty()) {
      return divergence;
    }
    float[][] now =
        policy.logProbabilities(before.stream().map(task -> known.get(task).last).toList());
    for (int i = 0; i < now.length; i++) {
      float[] then = known.get(before.get(i)).logProbabilities;
      float[] own = now[i];
      divergence.put(
          before.get(i),
          IntStream.range(0, own.length)
              .mapToDouble(t -> Math.abs((double) own[t] - then[t]))
              .average()
              .orElse(0));
    }
    return divergence;
  }

  /** Returns less values, at mean 0 and deviation 1 over those that are not masked. */
  private static double[] normalized(List<ScoredTrajectory> step, double[] values) {
    double[] returns = ScoredTrajectory.returns(step);
    boolean[] masked = ScoredTrajectory.masked(step);
    Moments moments =
        Moments.of(
            IntStream.range(0, values.length)
                .filter(i -> !masked[i])
                .mapToDouble(i -> returns[i] - values[i])
                .toArray());
    double deviation = moments.count() > 1 ? moments.deviation(Deviation.SAMPLE) : 0;
    return IntStream.range(0, values.length)
        .mapToDouble(i -> (returns[i] - values[i] - moments.mean()) / (deviation + EPSILON))
        .toArray();
  }

  /**
   * SPO's √(v(1 − v)) + 0.05: the tasks whose outcome is least certain. It is made for returns
   * between 0 and 1; a value outside has the least priority.
   */
  @Override
  public Optional<ToDoubleFunction<String>> priorities() {
    return Optional.of(
        task -> {
          double v = tracked(task).value();
          return Math.sqrt(Math.max(0, v * (1 - v))) + LEAST_PRIORITY;
        });
  }

  @Override
  public Map<String, Double> metrics() {
    return Map.copyOf(metrics);
  }

  @Override
  public Optional<byte[]> state() {
    Map<BitSet, Integer> sets = new LinkedHashMap<>();
    Map<String, StoredTask> tasks = new TreeMap<>();
    known.forEach(
        (task, own) ->
            tasks.put(
                task,
                new StoredTask(
                    own.tracked.value(),
                    own.tracked.weight(),
                    own.last.stream().map(each -> StoredSequence.of(each, sets)).toList(),
                    own.logProbabilities)));
    Stored stored = new Stored(sets.keySet().stream().map(BitSet::toByteArray).toList(), tasks);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      Json.MAPPER.writeValue(out, stored);
    } catch (IOException e) {
      throw new IllegalStateException("cannot write what is known of tasks", e);
    }
    return Optional.of(bytes.toByteArray());
  }

  @Override
  public void restore(byte[] state) {
    known.clear();
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(state))) {
      Stored stored = Json.MAPPER.readValue(in, Stored.class);
      List<BitSet> sets = stored.sets.stream().map(BitSet::valueOf).toList();
      stored.tasks.forEach(
          (task, own) ->
              known.put(
                  task,
                  new Known(
                      new Tracked(own.value, own.weight),
                      own.last.stream().map(each -> each.sequence(sets)).toList(),
                      own.logProbabilities)));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read what the checkpoint has of tasks", e);
    }
  }
}
