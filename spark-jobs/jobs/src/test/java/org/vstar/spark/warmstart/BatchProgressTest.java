package org.vstar.spark.warmstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BatchProgressTest {

  private static String lines(int batches, int secondsEach) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    AtomicLong time = new AtomicLong();
    BatchProgress progress =
        new BatchProgress(batches, new PrintStream(said, true, StandardCharsets.UTF_8), time::get);
    for (int i = 0; i < batches; i++) {
      time.addAndGet(TimeUnit.SECONDS.toNanos(secondsEach));
      progress.taken(2.5);
    }
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void longBatchesAreToldOfNowAndThenWithTheTimeThatRemains() {
    assertThat(lines(16, 13).lines())
        .startsWith(
            "warm start: 1 of 16 batches, loss 2.5000, 13 s, 195 s remain",
            "warm start: 2 of 16 batches, loss 2.5000, 26 s, 182 s remain",
            "warm start: 4 of 16 batches, loss 2.5000, 52 s, 156 s remain")
        .hasSizeBetween(4, 7);
  }

  @Test
  void aRoundOfAMomentSaysNothing() {
    assertThat(lines(4, 1)).isEmpty();
  }
}
