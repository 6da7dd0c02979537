package org.vstar.spark.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.common.Json;

/** Ways to change an input, from one bit to whole values that are known to trouble readers. */
final class Mutation {

  private static final Pattern VALUE = Pattern.compile("(?<=[:\\[,] ?)[^\\s,\\[\\]{}:#]+");

  /** Values that trouble readers of numbers, of paths, and of YAML and JSON. */
  static final List<String> ODD =
      List.of(
          "null",
          "-1",
          "0",
          "1",
          "2147483647",
          "2147483648",
          "-9223372036854775809",
          "1e999",
          "-1e-999",
          ".nan",
          "NaN",
          ".inf",
          "0.1",
          "true",
          "''",
          "[]",
          "{}",
          "[1, 2",
          "{a: }",
          "../../x",
          "/dev/null",
          "/proc/self/mem",
          "\"\\u0000\"",
          "\"a\\nb\"",
          "*x",
          "&x [*x]",
          "!!java.net.URL 'x'",
          "é😀",
          "\u2028",
          "a".repeat(5000),
          "'",
          "\"",
          "%zz",
          "file:/x",
          "hdfs:/run");

  private Mutation() {}

  /** Changes bytes in one to three places. */
  static byte[] bytes(SplittableRandom random, byte[] content) {
    byte[] changed = content;
    for (int i = 0; i <= random.nextInt(3); i++) {
      changed = once(random, changed);
    }
    return changed;
  }

  private static byte[] once(SplittableRandom random, byte[] content) {
    if (content.length == 0) {
      return new byte[] {(byte) random.nextInt()};
    }
    int at = random.nextInt(content.length);
    int length = Math.min(content.length - at, 1 + random.nextInt(64));
    byte[] changed = content.clone();
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> changed[at] ^= (byte) (1 << random.nextInt(8));
      case 3 -> changed[at] = (byte) random.nextInt();
      case 4 -> changed = Arrays.copyOf(content, at);
      case 5 -> Arrays.fill(changed, at, at + length, (byte) 0);
      case 6 -> changed = joined(content, at, at, at + length, content.length);
      default -> changed = joined(content, at, at + length, at + length, content.length);
    }
    return changed;
  }

  /** The bytes up to a place, and two ranges behind it: something is repeated, or left out. */
  private static byte[] joined(byte[] content, int end, int again, int from, int to) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(content, 0, end);
    if (again < from) {
      out.write(content, again, from - again);
      out.write(content, again, to - again);
    } else {
      out.write(content, from, to - from);
    }
    return out.toByteArray();
  }

  /** Changes text: a value, a line, or some bytes. */
  static String text(SplittableRandom random, String text) {
    List<String> lines = new ArrayList<>(text.lines().toList());
    int line = random.nextInt(lines.size());
    switch (random.nextInt(6)) {
      case 0 -> lines.remove(line);
      case 1 -> lines.add(line, lines.get(random.nextInt(lines.size())));
      case 2 -> lines.set(line, " ".repeat(random.nextInt(4)) + lines.get(line));
      case 3 -> {
        byte[] changed = bytes(random, text.getBytes(StandardCharsets.UTF_8));
        return new String(changed, StandardCharsets.UTF_8);
      }
      default -> lines.set(line, value(random, lines.get(line)));
    }
    return String.join("\n", lines) + "\n";
  }

  /** Puts an odd value in the place of a value of a line, if it has one. */
  private static String value(SplittableRandom random, String line) {
    Matcher values = VALUE.matcher(line);
    List<int[]> places = new ArrayList<>();
    while (values.find()) {
      places.add(new int[] {values.start(), values.end()});
    }
    if (places.isEmpty()) {
      return line + odd(random);
    }
    int[] place = places.get(random.nextInt(places.size()));
    return line.substring(0, place[0]) + odd(random) + line.substring(place[1]);
  }

  static String odd(SplittableRandom random) {
    return ODD.get(random.nextInt(ODD.size()));
  }

  /** Changes JSON: as text, or a value somewhere in it. */
  static byte[] json(SplittableRandom random, byte[] content) throws IOException {
    if (random.nextInt(3) == 0) {
      return bytes(random, content);
    }
    JsonNode tree = Json.MAPPER.readTree(content).deepCopy();
    List<JsonNode> inner = new ArrayList<>();
    collect(tree, inner);
    if (inner.isEmpty() || random.nextInt(20) == 0) {
      return odd(random).getBytes(StandardCharsets.UTF_8);
    }
    change(random, inner.get(random.nextInt(inner.size())));
    return Json.MAPPER.writeValueAsBytes(tree);
  }

  private static void collect(JsonNode node, List<JsonNode> inner) {
    if (node.isContainerNode() && !node.isEmpty()) {
      inner.add(node);
      node.forEach(child -> collect(child, inner));
    }
  }

  private static void change(SplittableRandom random, JsonNode node) {
    if (node instanceof ArrayNode list) {
      int at = random.nextInt(list.size());
      switch (random.nextInt(3)) {
        case 0 -> list.remove(at);
        case 1 -> list.insert(at, list.get(random.nextInt(list.size())).deepCopy());
        default -> list.set(at, oddNode(random));
      }
    } else if (node instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      String name = names.get(random.nextInt(names.size()));
      switch (random.nextInt(3)) {
        case 0 -> object.remove(name);
        case 1 -> object.set(name + "x", object.remove(name));
        default -> object.set(name, oddNode(random));
      }
    }
  }

  private static JsonNode oddNode(SplittableRandom random) {
    String odd = odd(random);
    try {
      JsonNode node = Json.MAPPER.readTree(odd);
      return node instanceof MissingNode ? Json.MAPPER.getNodeFactory().textNode(odd) : node;
    } catch (IOException e) {
      return Json.MAPPER.getNodeFactory().textNode(odd);
    }
  }
}
