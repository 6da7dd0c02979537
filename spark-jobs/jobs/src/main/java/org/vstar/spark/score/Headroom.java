package org.vstar.spark.score;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What reinforcement learning can add to a reference policy, as its samples of train tasks show
 * before any training. Where a task's samples all end alike, an advantage has nothing to say.
 *
 * @param measures in the order in which they are shown
 */
public record Headroom(List<Measure> measures) {

  /** Share of the tasks whose samples never succeed. */
  public static final String ALWAYS_FAIL = "always_fail";

  /** Share of the tasks whose samples always succeed. */
  public static final String ALWAYS_SUCCEED = "always_succeed";

  /** Share of the tasks of which some samples succeed and others do not. */
  public static final String MIXED = "mixed";

  /** Share of the tasks whose returns are not all equal. */
  public static final String RETURNS_DIFFER = "returns_differ";

  /** Mean probability that one of k samples succeeds. */
  public static final String PASS = "pass_at_k";

  /** Mean of (r − b)², by baseline b. */
  public static final String SQUARE = "advantage_squared";

  /** Share of the variance within tasks that is left with a share of the tasks. */
  public static final String KEPT = "variance_kept";

  private static final List<String> ORDER =
      List.of(ALWAYS_FAIL, ALWAYS_SUCCEED, MIXED, RETURNS_DIFFER, PASS, SQUARE, KEPT);

  /** What E[A²] is measured against. */
  public static final List<String> BASELINES = List.of("vstar", "mean", "zero");

  /** With fewer tasks of mixed outcome, most rollouts of training teach nothing. */
  private static final double FEW_MIXED = 0.25;

  /**
   * One number.
   *
   * @param measure its name
   * @param of what it is measured for, the k of pass@k for example; empty where there is nothing to
   *     say
   * @param low of the 95 % interval, clustered; −∞ where there is one cluster and no bound
   * @param tasks that have a value
   */
  public record Measure(
      String measure, String of, double value, double low, double high, long tasks) {

    private String name() {
      String name =
          switch (measure) {
            case ALWAYS_FAIL -> "tasks that always fail";
            case ALWAYS_SUCCEED -> "tasks that always succeed";
            case MIXED -> "tasks of mixed outcome";
            case RETURNS_DIFFER -> "tasks whose returns differ";
            case PASS -> "pass@k, k =";
            case SQUARE -> "E[A²] against";
            default -> "variance kept by train.keep =";
          };
      return of.isEmpty() ? name : name + " " + of;
    }

    private Line line() {
      if (measure.equals(SQUARE)) {
        return new Line(
            name(),
            String.format(Locale.ROOT, "%.4f", value),
            Double.isInfinite(low) ? "" : String.format(Locale.ROOT, "%.4f – %.4f", low, high));
      }
      return new Line(
          name(),
          String.format(Locale.ROOT, "%.1f %%", 100 * value),
          measure.equals(KEPT)
              ? ""
              : String.format(Locale.ROOT, "%.1f – %.1f %%", 100 * low, 100 * high));
    }
  }

  /** A line of the table that a person reads; the interval is empty where there is none. */
  public record Line(String name, String value, String interval) {}

  /** The headroom that some measures say, which come in any order. */
  public static Headroom of(Collection<Measure> measures) {
    List<Measure> sorted = new ArrayList<>(measures);
    sorted.sort(
        Comparator.comparingInt((Measure m) -> ORDER.indexOf(m.measure))
            .thenComparingDouble(m -> m.measure.equals(SQUARE) || m.of.isEmpty() ? 0 : number(m.of))
            .thenComparingInt(m -> BASELINES.indexOf(m.of)));
    return new Headroom(List.copyOf(sorted));
  }

  private static double number(String of) {
    return Double.parseDouble(of);
  }

  /** The table that a person reads. */
  public List<Line> lines() {
    return measures.stream().map(Measure::line).toList();
  }

  /** The table as text, and a sentence. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT, "%-36s %10s   %s%n", "headroom of the train tasks", "", "95 % interval"));
    for (Line line : lines()) {
      text.append(
          String.format(Locale.ROOT, "%-36s %10s   %s", line.name, line.value, line.interval)
              .stripTrailing());
      text.append('\n');
    }
    return text.append(advice()).append('\n').toString();
  }

  /** Share of the samples that succeeded: pass@1. */
  public double success() {
    return first(PASS).value;
  }

  /** Share of the tasks of which some samples succeeded and some did not. */
  public double mixed() {
    return last(MIXED).value;
  }

  /** What there is to learn from, and what to do where there is little. */
  public String advice() {
    double mixed = mixed();
    String share =
        String.format(
            Locale.ROOT,
            "%.0f %% of the tasks have mixed outcomes, and pass@k lies %.1f points above pass@1",
            100 * mixed,
            100 * (last(PASS).value - first(PASS).value));
    if (mixed >= FEW_MIXED) {
      return share + ": there is something to learn.";
    }
    return share
        + (last(ALWAYS_SUCCEED).value >= last(ALWAYS_FAIL).value
            ? ": most tasks are solved already. Take a weaker or a warmer reference (fewer rounds of"
                + " warm start, a higher sampling.temperature), or harder tasks."
            : ": most tasks always fail. Take more samples (vstar.samples), a better reference, or"
                + " easier tasks.");
  }

  private Measure first(String measure) {
    return measures.stream().filter(m -> m.measure.equals(measure)).findFirst().orElseThrow();
  }

  /** The last that all tasks have samples for: tasks of adaptive runs differ in their number. */
  private Measure last(String measure) {
    long all = first(measure).tasks;
    return measures.stream()
        .filter(m -> m.measure.equals(measure) && m.tasks == all)
        .reduce((a, b) -> b)
        .orElseThrow();
  }
}
