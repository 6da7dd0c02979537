package org.vstar.spark.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import org.vstar.common.Html;

/** Small SVG charts. */
final class Chart {

  private static final int WIDTH = 800;
  private static final int HEIGHT = 280;
  private static final int LEFT = 45;
  private static final int BOTTOM = 40;
  private static final int TOP = 10;
  private static final int LEGEND_LINE = 18;
  private static final int TICKS = 4;
  private static final List<String> COLOURS =
      List.of("#3366aa", "#dd7711", "#2a9d5c", "#d1495b", "#775599", "#888888");

  private final StringBuilder svg = new StringBuilder();

  private Chart(int legend) {
    int height = HEIGHT + legend * LEGEND_LINE;
    svg.append(
        String.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" font-size=\"12\""
                + " font-family=\"sans-serif\"><rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
            WIDTH, height, WIDTH));
  }

  /** Lines of (x, y) with y from 0 to 1. */
  static String lines(Map<String, List<double[]>> series, String xLabel) {
    Chart chart = new Chart(series.size());
    double max =
        series.values().stream().flatMap(List::stream).mapToDouble(p -> p[0]).max().orElse(1);
    DoubleUnaryOperator x = v -> LEFT + v / Math.max(1, max) * (WIDTH - LEFT - 10);
    chart.axes(1, "%.2f");
    chart.xTicks(0, max, x, "%.0f", xLabel);
    int index = 0;
    for (var entry : series.entrySet()) {
      StringBuilder points = new StringBuilder();
      for (double[] p : entry.getValue()) {
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x.applyAsDouble(p[0]), y(p[1])));
      }
      chart.svg.append(
          String.format(
              "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n",
              colour(index), points));
      chart.legend(index++, entry.getKey());
    }
    return chart.end();
  }

  /** How many values fall into each of some equal bins. */
  static String histogram(List<Double> values, int bins, String xLabel) {
    Chart chart = new Chart(0);
    double low = Collections.min(values);
    double span = Math.max(1e-9, Collections.max(values) - low);
    int[] counts = new int[bins];
    values.forEach(v -> counts[(int) Math.min(bins - 1, (v - low) / span * bins)]++);
    int max = 1;
    for (int count : counts) {
      max = Math.max(max, count);
    }
    DoubleUnaryOperator x = v -> LEFT + (v - low) / span * (WIDTH - LEFT - 10);
    chart.axes(max, "%.0f");
    chart.xTicks(low, low + span, x, "%.2f", xLabel);
    double width = (WIDTH - LEFT - 10.0) / bins;
    for (int i = 0; i < bins; i++) {
      chart.bar(LEFT + i * width, width - 1, counts[i] / (double) max, colour(0), counts[i] + "");
    }
    return chart.end();
  }

  /** Groups of bars from 0 to 1. */
  static String bars(Map<String, Map<String, Double>> groups) {
    List<String> names = new ArrayList<>();
    groups
        .values()
        .forEach(g -> g.keySet().stream().filter(k -> !names.contains(k)).forEach(names::add));
    Chart chart = new Chart(names.size());
    chart.axes(1, "%.2f");
    double step = (WIDTH - LEFT - 10.0) / Math.max(1, groups.size());
    double width = (step - 10) / Math.max(1, names.size());
    int at = 0;
    for (var group : groups.entrySet()) {
      double left = LEFT + step * at++ + 5;
      for (var bar : group.getValue().entrySet()) {
        int index = names.indexOf(bar.getKey());
        String tip = String.format(Locale.ROOT, "%s: %.2f", bar.getKey(), bar.getValue());
        chart.bar(left + index * width, width - 1, bar.getValue(), colour(index), tip);
      }
      chart.text(left + step / 2 - 5, HEIGHT - BOTTOM + 16, "middle", group.getKey());
    }
    for (int i = 0; i < names.size(); i++) {
      chart.legend(i, names.get(i));
    }
    return chart.end();
  }

  private static String colour(int index) {
    return COLOURS.get(index % COLOURS.size());
  }

  private static double y(double value) {
    return HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP);
  }

  private void axes(double max, String format) {
    for (int i = 0; i <= TICKS; i++) {
      double part = i / (double) TICKS;
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
              LEFT,
              WIDTH - 10,
              y(part),
              y(part)));
      text(LEFT - 5, y(part) + 4, "end", String.format(Locale.ROOT, format, part * max));
    }
  }

  private void xTicks(double low, double high, DoubleUnaryOperator x, String format, String label) {
    for (int i = 0; i <= TICKS; i++) {
      double value = low + (high - low) * i / TICKS;
      text(
          x.applyAsDouble(value),
          HEIGHT - BOTTOM + 16,
          i == TICKS ? "end" : "middle",
          String.format(Locale.ROOT, format, value));
    }
    text(WIDTH / 2.0, HEIGHT - 6, "middle", label);
  }

  private void bar(double x, double width, double value, String colour, String tip) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s"
                + "</title></rect>%n",
            x,
            y(value),
            width,
            y(0) - y(value),
            colour,
            Html.escape(tip)));
  }

  private void text(double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#444\">%s</text>%n",
            x,
            y,
            anchor,
            Html.escape(text)));
  }

  private void legend(int index, String name) {
    int y = HEIGHT + index * LEGEND_LINE;
    svg.append(
        String.format(
            "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>%n",
            LEFT, y, colour(index)));
    text(LEFT + 18, y + 11, "start", name);
  }

  private String end() {
    return svg.append("</svg>\n").toString();
  }
}
