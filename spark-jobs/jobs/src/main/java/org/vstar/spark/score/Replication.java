package org.vstar.spark.score;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.vstar.common.InvalidInputException;

/**
 * What several runs of one recipe come to, each with a seed of its own, on the same tasks.
 *
 * @param methods every method that a run has, in the order of the first that has it
 * @param differences between methods, paired by run and task
 * @param headroom how much of what its reference leaves each trained policy took, of each run
 */
@JsonNaming(SnakeCaseStrategy.class)
public record Replication(
    List<Method> methods, List<Difference> differences, Map<String, List<HeadroomTaken>> headroom) {

  /**
   * A method in one mode.
   *
   * @param success the rate
   * @param avgReward the return
   * @param all its episodes in all runs
   */
  @JsonNaming(SnakeCaseStrategy.class)
  public record Method(
      SeedMean success,
      SeedMean avgReward,
      @JsonIgnoreProperties({"all", "by_category"}) MethodSummary all) {}

  /**
   * By how much one method succeeds more often than another on the same task.
   *
   * @param against the other
   * @param mode that of the first
   * @param againstMode that of the other: the same if it was played in it, or its best
   */
  @JsonNaming(SnakeCaseStrategy.class)
  public record Difference(
      String method,
      String against,
      DecodingMode mode,
      DecodingMode againstMode,
      SeedMean success) {}

  /**
   * Puts runs side by side.
   *
   * @param runs name of a run → its episodes
   * @param against methods that the others are held against
   * @throws InvalidInputException if runs were played on different tasks, in different environments
   *     or under different rewards, or if no run has a method that others are held against
   */
  public static Replication of(Map<String, List<EpisodeRow>> runs, Collection<String> against) {
    return of(runs, against, bestReference(runs));
  }

  /**
   * Puts runs side by side, and trained policies beside their reference at its best too.
   *
   * @param best the mode in which the reference is best on validation tasks, or null
   */
  public static Replication of(
      Map<String, List<EpisodeRow>> runs, Collection<String> against, DecodingMode best) {
    requireSameTasks(runs);
    List<EpisodeRow> all = runs.values().stream().flatMap(List::stream).toList();
    List<Method> methods = new ArrayList<>();
    for (MethodSummary summary : MethodSummary.of(all)) {
      methods.add(
          new Method(
              SeedMean.ofRate(values(runs, summary, row -> row.success() ? 1 : 0)),
              SeedMean.of(values(runs, summary, EpisodeRow::reward)),
              summary));
    }
    List<Difference> differences = new ArrayList<>();
    for (String other : against) {
      requireMethod(methods, other);
      for (Method method : methods) {
        if (!against.contains(method.all.method())) {
          difference(runs, method.all, other, method.all.mode()).ifPresent(differences::add);
        }
      }
    }
    List<MethodSummary> policies =
        methods.stream()
            .map(Method::all)
            .filter(m -> m.agentTokens() != null && !m.method().equals(Evaluation.REFERENCE))
            .filter(m -> !against.contains(m.method()))
            .toList();
    for (MethodSummary policy : policies) {
      if (best != null && !best.equals(policy.mode()) && against.contains(Evaluation.REFERENCE)) {
        difference(runs, policy, Evaluation.REFERENCE, best).ifPresent(differences::add);
      }
      policies.stream()
          .filter(p -> p.mode().equals(policy.mode()))
          .filter(p -> p.method().compareTo(policy.method()) < 0)
          .forEach(p -> difference(runs, policy, p.method(), p.mode()).ifPresent(differences::add));
    }
    Map<String, List<HeadroomTaken>> headroom = new LinkedHashMap<>();
    List<String> trained = policies.stream().map(MethodSummary::method).distinct().toList();
    runs.values()
        .forEach(
            rows ->
                HeadroomTaken.of(rows, Evaluation.REFERENCE, trained)
                    .forEach(
                        taken ->
                            headroom
                                .computeIfAbsent(taken.method(), m -> new ArrayList<>())
                                .add(taken)));
    return new Replication(List.copyOf(methods), List.copyOf(differences), headroom);
  }

  /** The mode in which the reference succeeds most often, over all runs; null without one. */
  public static DecodingMode bestReference(Map<String, List<EpisodeRow>> runs) {
    List<EpisodeRow> all = runs.values().stream().flatMap(List::stream).toList();
    return PairedDifference.bestMode(MethodSummary.of(all), Evaluation.REFERENCE);
  }

  private static List<SeedMean.Value> values(
      Map<String, List<EpisodeRow>> runs, MethodSummary method, ToDoubleFunction<EpisodeRow> of) {
    List<SeedMean.Value> values = new ArrayList<>();
    runs.forEach(
        (run, rows) ->
            played(rows, method.method(), method.mode())
                .forEach(
                    row ->
                        values.add(new SeedMean.Value(run, row.cluster(), of.applyAsDouble(row)))));
    return values;
  }

  private static List<EpisodeRow> played(List<EpisodeRow> rows, String method, DecodingMode mode) {
    return rows.stream().filter(r -> r.method().equals(method) && r.mode().equals(mode)).toList();
  }

  /** Of the runs that have both; none if no run has. */
  private static Optional<Difference> difference(
      Map<String, List<EpisodeRow>> runs,
      MethodSummary method,
      String against,
      DecodingMode againstMode) {
    List<SeedMean.Value> values = new ArrayList<>();
    DecodingMode mode = againstMode;
    for (Map.Entry<String, List<EpisodeRow>> run : runs.entrySet()) {
      List<EpisodeRow> other = played(run.getValue(), against, againstMode);
      if (other.isEmpty() && !against.equals(Evaluation.REFERENCE)) {
        // Scripts have one mode.
        mode = DecodingMode.SAMPLED;
        other = played(run.getValue(), against, mode);
      }
      Map<String, Double> rates = rates(other);
      Map<String, Double> own = rates(played(run.getValue(), method.method(), method.mode()));
      Map<String, String> clusters = new HashMap<>();
      other.forEach(row -> clusters.put(row.taskId(), row.cluster()));
      own.keySet().retainAll(rates.keySet());
      own.forEach(
          (task, rate) ->
              values.add(
                  new SeedMean.Value(run.getKey(), clusters.get(task), rate - rates.get(task))));
    }
    return values.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Difference(method.method(), against, method.mode(), mode, SeedMean.of(values)));
  }

  /** Success on each task. */
  private static Map<String, Double> rates(List<EpisodeRow> rows) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(
                EpisodeRow::taskId,
                LinkedHashMap::new,
                Collectors.averagingDouble(row -> row.success() ? 1 : 0)));
  }

  private static void requireSameTasks(Map<String, List<EpisodeRow>> runs) {
    String first = null;
    Map<String, Object> expected = Map.of();
    for (Map.Entry<String, List<EpisodeRow>> run : runs.entrySet()) {
      Map<String, Object> played = what(run.getValue());
      if (first == null) {
        first = run.getKey();
        expected = played;
      }
      for (Map.Entry<String, Object> part : expected.entrySet()) {
        if (!part.getValue().equals(played.get(part.getKey()))) {
          throw new InvalidInputException(
              run.getKey()
                  + " was not played on the same "
                  + part.getKey()
                  + " as "
                  + first
                  + ": compare runs whose configs differ in 'seed' alone, evaluated by one version");
        }
      }
    }
  }

  private static Map<String, Object> what(List<EpisodeRow> rows) {
    Map<String, Object> what = new LinkedHashMap<>();
    what.put("environment", distinct(rows, EpisodeRow::environmentFingerprint));
    what.put("rewards", distinct(rows, EpisodeRow::rewardFingerprint));
    what.put("tasks", distinct(rows, EpisodeRow::taskId));
    return what;
  }

  private static Set<String> distinct(List<EpisodeRow> rows, Function<EpisodeRow, String> of) {
    return rows.stream().map(of).collect(Collectors.toCollection(TreeSet::new));
  }

  private static void requireMethod(List<Method> methods, String name) {
    Set<String> known = new TreeSet<>();
    methods.forEach(m -> known.add(m.all.method()));
    if (!known.contains(name)) {
      throw new InvalidInputException("--against " + name + ": no run has it, there are " + known);
    }
  }
}
