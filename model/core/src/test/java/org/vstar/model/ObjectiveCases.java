package org.vstar.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.vstar.common.Json;

/**
 * Cases of published methods with what each must give, in {@code ../shared/objectives} or where
 * {@code -Dobjectives.data=DIR} says. Without the former the tests are skipped; a folder that is
 * named has to be there.
 */
public final class ObjectiveCases {

  /** Where floats are in between. */
  public static final double FLOAT = 1e-5;

  /** In double; expected numbers have twelve digits. */
  public static final double DOUBLE = 1e-9;

  private ObjectiveCases() {}

  /** A test for each case of a file. */
  public static Stream<DynamicTest> of(String file, Consumer<JsonNode> test) throws IOException {
    String named = System.getProperty("objectives.data");
    Path folder = Path.of(named == null ? "../../../shared/objectives" : named);
    assumeTrue(named != null || Files.isDirectory(folder), "there are no cases in " + folder);
    JsonNode all = Json.MAPPER.readTree(folder.resolve(file).toFile());
    assertThat(all.path("format").asInt()).isEqualTo(1);
    assertThat(all.path("cases")).isNotEmpty();
    return StreamSupport.stream(all.path("cases").spliterator(), false)
        .map(one -> DynamicTest.dynamicTest(one.path("name").asText(), () -> test.accept(one)));
  }

  /** Numbers, of which {@code null} stands for none: those are left out. */
  public static double[] numbers(JsonNode list) {
    List<Double> numbers = new ArrayList<>();
    for (JsonNode each : list) {
      if (!each.isNull()) {
        numbers.add(number(each));
      }
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** A number, or the string NaN, Infinity or -Infinity. */
  public static double number(JsonNode node) {
    return node.isTextual() ? Double.parseDouble(node.asText()) : node.asDouble();
  }

  /** The same of each trajectory. */
  public static double[][] rows(JsonNode lists) {
    return StreamSupport.stream(lists.spliterator(), false)
        .map(ObjectiveCases::numbers)
        .toArray(double[][]::new);
  }

  /** The items of a list that the agent wrote, by its mask; all of them without one. */
  public static double[] written(JsonNode list, JsonNode mask) {
    List<Double> numbers = new ArrayList<>();
    for (int t = 0; t < list.size(); t++) {
      if (mask.isMissingNode() || mask.path(t).asInt() == 1) {
        numbers.add(number(list.path(t)));
      }
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Requires numbers to be near, absolutely or relatively. */
  public static void requireNear(double[] found, double[] expected, double tolerance) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      requireNear(found[i], expected[i], tolerance, "number " + i);
    }
  }

  /** Requires a number that went through a float to be near, relatively. */
  public static void requireRelative(double found, double expected, String what) {
    if (Double.isFinite(expected)) {
      assertThat(found)
          .as(what)
          .isCloseTo(expected, within(Math.max(1e-9, FLOAT * Math.abs(expected))));
    } else {
      assertThat(found).as(what).isEqualTo(expected);
    }
  }

  /** Requires a number to be near, absolutely or relatively. */
  public static void requireNear(double found, double expected, double tolerance, String what) {
    if (Double.isFinite(expected)) {
      assertThat(found)
          .as(what)
          .isCloseTo(expected, within(tolerance * Math.max(1, Math.abs(expected))));
    } else {
      assertThat(found).as(what).isEqualTo(expected);
    }
  }
}
