package org.vstar.spark.study;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.Html;

/** Learning curves of arms: the mean over seeds, and a band from the lowest to the highest. */
final class CurveChart {

  private static final int WIDTH = 640;
  private static final int HEIGHT = 320;
  private static final int LEFT = 48;
  private static final int BOTTOM = 36;
  private static final int TOP = 12;
  private static final int TICKS = 5;
  private static final String[] COLOURS = {
    "#1b6ca8", "#d1495b", "#2e933c", "#8e5ea2", "#e08e0b", "#4d4d4d", "#0b8a8f", "#a0522d",
    "#c71585", "#6b8e23"
  };

  private CurveChart() {}

  /** The colour of an arm, by its place in the config. */
  static String colour(int arm) {
    return COLOURS[arm % COLOURS.length];
  }

  /** Points of one step over all seeds of an arm. */
  private record Across(double x, double low, double mean, double high) {}

  private static List<Across> across(List<UnitResult> runs, StudyResults.Axis axis) {
    int points = runs.stream().mapToInt(run -> run.curve().size()).min().orElse(0);
    List<Across> all = new ArrayList<>();
    for (int i = 0; i < points; i++) {
      int at = i;
      double x = runs.stream().mapToDouble(r -> axis.of(r, r.curve().get(at))).average().orElse(0);
      double[] y = runs.stream().mapToDouble(r -> r.curve().get(at).success()).sorted().toArray();
      double sum = 0;
      for (double each : y) {
        sum += each;
      }
      all.add(new Across(x, y[0], sum / y.length, y[y.length - 1]));
    }
    return all;
  }

  /** An SVG of success against an axis. */
  static String svg(Map<String, List<UnitResult>> arms, StudyResults.Axis axis, String label) {
    double most =
        arms.values().stream()
            .flatMap(runs -> across(runs, axis).stream())
            .mapToDouble(Across::x)
            .max()
            .orElse(1);
    StringBuilder svg = new StringBuilder();
    add(svg, "<svg viewBox=\"0 0 %d %d\" role=\"img\">%n", WIDTH, HEIGHT);
    for (int i = 0; i <= TICKS; i++) {
      double y = y(i / (double) TICKS);
      add(svg, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>%n", LEFT, WIDTH, y, y);
      add(svg, "<text x=\"4\" y=\"%.1f\">%d %%</text>%n", y + 4, 100 * i / TICKS);
      double value = most * i / TICKS;
      add(
          svg,
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%.4g</text>%n",
          x(value, most),
          HEIGHT - BOTTOM + 16,
          i == TICKS ? "end" : "middle",
          value);
    }
    add(svg, "<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT, HEIGHT - 4, Html.escape(label));
    int arm = 0;
    for (List<UnitResult> runs : arms.values()) {
      draw(svg, across(runs, axis), most, colour(arm++));
    }
    return svg.append("</svg>\n").toString();
  }

  private static void draw(StringBuilder svg, List<Across> points, double most, String colour) {
    if (points.isEmpty()) {
      return;
    }
    StringBuilder band = new StringBuilder();
    StringBuilder line = new StringBuilder();
    for (Across p : points) {
      add(band, "%.1f,%.1f ", x(p.x, most), y(p.high));
      add(line, "%.1f,%.1f ", x(p.x, most), y(p.mean));
    }
    for (int i = points.size() - 1; i >= 0; i--) {
      add(band, "%.1f,%.1f ", x(points.get(i).x, most), y(points.get(i).low));
    }
    add(svg, "<polygon points=\"%s\" fill=\"%s\" opacity=\"0.15\"/>%n", band, colour);
    add(
        svg,
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
        line,
        colour);
  }

  private static double x(double value, double most) {
    return LEFT + (WIDTH - LEFT - 8) * (most == 0 ? 0 : value / most);
  }

  private static double y(double success) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - success);
  }

  private static void add(StringBuilder to, String format, Object... values) {
    to.append(String.format(Locale.ROOT, format, values));
  }
}
