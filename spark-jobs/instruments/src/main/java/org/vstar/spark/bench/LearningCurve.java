package org.vstar.spark.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a method reached after which rollouts and seconds. */
final class LearningCurve {

  private final String method;
  private final double memory;
  private final List<Point> points = new ArrayList<>();

  /**
   * How good a policy was.
   *
   * @param step updates behind it
   * @param rollouts episodes behind it, those of V* included
   * @param seconds of V* and of updates with their rollouts
   * @param own success of the last update's episodes, sampled on train tasks, 0 to 1; NaN before
   *     the first
   * @param greedy success on validation tasks, 0 to 1; NaN where none were played
   */
  record Point(int step, long rollouts, double seconds, double own, double greedy) {}

  /**
   * An empty curve.
   *
   * @param memory the most that was in use, in GB
   */
  LearningCurve(String method, double memory) {
    this.method = method;
    this.memory = memory;
  }

  void add(Point point) {
    points.add(point);
  }

  /** A line for each evaluated policy, and when a success was reached first. */
  String table(double threshold) {
    StringBuilder lines = new StringBuilder();
    for (Point point : points) {
      if (!Double.isNaN(point.greedy)) {
        lines.append(
            String.format(
                Locale.ROOT,
                "%s: %d updates, %d rollouts, %.0f s: %sgreedy %.1f %%%n",
                method,
                point.step,
                point.rollouts,
                point.seconds,
                Double.isNaN(point.own)
                    ? ""
                    : String.format(Locale.ROOT, "sampled %.0f %%, ", 100 * point.own),
                100 * point.greedy));
      }
    }
    lines.append(
        String.format(
            Locale.ROOT,
            "%s: %.0f %% of an update's episodes %s, of validation tasks %s; most memory %.1f GB%n",
            method,
            100 * threshold,
            reached(points.stream().filter(point -> point.own >= threshold).toList()),
            reached(points.stream().filter(point -> point.greedy >= threshold).toList()),
            memory));
    return lines.toString();
  }

  private static String reached(List<Point> there) {
    return there.isEmpty()
        ? "never"
        : String.format(
            Locale.ROOT,
            "after %d rollouts and %.0f s",
            there.get(0).rollouts,
            there.get(0).seconds);
  }
}
