package org.vstar.spark.tracking;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;

/**
 * {@code metrics.jsonl} of a training run: a line for each step and each evaluation, with {@code
 * stage}, {@code step} and the numbers. The file is published whole, every other second at most,
 * because object stores cannot append.
 */
public final class JsonLines implements MetricsSink {

  private static final String FILE = "/metrics.jsonl";
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final RunStore store;
  private final String name;
  private final StringBuilder lines = new StringBuilder();
  private long published = System.nanoTime() - PAUSE_NANOS;

  private JsonLines(RunStore store, String name) {
    this.store = store;
    this.name = name;
  }

  /** Makes it known. */
  public static final class Opener implements Kind {
    @Override
    public Optional<MetricsSink> open(RunStore store, String folder, Start start)
        throws IOException {
      long step = start.step();
      JsonLines sink = new JsonLines(store, folder + FILE);
      for (JsonNode line : read(store, folder)) {
        boolean evaluation = line.path("stage").asText().equals(VALIDATION);
        if (step > 0 && line.path("step").asLong() < step + (evaluation ? 1 : 0)) {
          sink.lines.append(line).append('\n');
        }
      }
      return Optional.of(sink);
    }
  }

  /**
   * All lines of a training run; a last one that was cut short is left out.
   *
   * @throws InvalidInputException naming a line that is damaged
   */
  public static List<JsonNode> read(RunStore store, String folder) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    if (!store.exists(folder + FILE)) {
      return lines;
    }
    String text;
    try (InputStream in = store.read(folder + FILE)) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    for (String line : text.split("\n")) {
      JsonNode read = parse(line);
      if (read != null) {
        lines.add(read);
      } else if (text.endsWith("\n") || !text.endsWith(line)) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s, line %d: damaged or no metrics of a step: take the line away",
                store.location(folder + FILE),
                lines.size() + 1));
      }
    }
    return lines;
  }

  /** Null if it is no line of metrics. */
  private static JsonNode parse(String line) {
    try {
      JsonNode read = Json.MAPPER.readTree(line);
      return read.path("stage").isTextual() && read.path("step").canConvertToLong() ? read : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  @Override
  public void scalars(String stage, long step, Map<String, Double> values) throws IOException {
    ObjectNode line = Json.MAPPER.createObjectNode().put("stage", stage).put("step", step);
    values.forEach(line::put);
    lines.append(line).append('\n');
    if (System.nanoTime() - published >= PAUSE_NANOS) {
      flush();
    }
  }

  @Override
  public void flush() throws IOException {
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    store.publish(name, out -> out.write(bytes));
    published = System.nanoTime();
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
