package org.vstar.spark.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.store.Store;

class JsonLinesTest {

  @TempDir Path folder;

  private List<String> lines() throws IOException {
    return JsonLines.read(Store.open(folder.toString()), "run").stream()
        .map(JsonNode::toString)
        .toList();
  }

  private void write(long from, long to) throws IOException {
    try (MetricsSink sink =
        MetricsSink.open(
            MetricsSink.all(),
            Store.open(folder.toString()),
            "run",
            new MetricsSink.Start("run", from, Map.of(), TrackingConfig.NONE))) {
      for (long step = from; step < to; step++) {
        sink.scalars(MetricsSink.TRAIN, step, Map.of("loss", step / 2.0));
      }
      sink.scalars(MetricsSink.VALIDATION, to, Map.of("success", 0.5));
    }
  }

  @Test
  void stepsAfterTheCheckpointThatARunGoesOnFromAreDropped() throws IOException {
    write(0, 2);
    List<String> two = lines();
    assertThat(two)
        .containsExactly(
            "{\"stage\":\"train\",\"step\":0,\"loss\":0.0}",
            "{\"stage\":\"train\",\"step\":1,\"loss\":0.5}",
            "{\"stage\":\"validation\",\"step\":2,\"success\":0.5}");
    write(2, 4);
    List<String> four = lines();
    assertThat(four).startsWith(two.toArray(String[]::new)).hasSize(6);
    write(2, 4);
    assertThat(lines()).isEqualTo(four);
    write(0, 2);
    assertThat(lines()).isEqualTo(two);
  }

  @Test
  void aLastLineThatWasCutShortIsLeftOut() throws IOException {
    write(0, 2);
    Path file = folder.resolve("run/metrics.jsonl");
    String whole = Files.readString(file);
    Files.writeString(file, whole.substring(0, whole.length() - 5));
    assertThat(lines()).hasSize(2);
  }
}
