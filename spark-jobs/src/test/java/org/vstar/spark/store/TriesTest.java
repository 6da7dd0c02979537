package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TriesTest {

  private static final Tries THREE = new Tries(3, 1);

  private final AtomicInteger asked = new AtomicInteger();

  private int failing(int times) throws IOException {
    if (asked.incrementAndGet() <= times) {
      throw new IOException("out of order " + asked);
    }
    return asked.get();
  }

  @Test
  void aStoreThatDoesNotAnswerIsAskedAgain() throws IOException {
    assertThat(THREE.ask(() -> failing(2))).isEqualTo(3);
  }

  @Test
  void theLastFaultIsToldWhenItGivesUp() {
    assertThatThrownBy(() -> THREE.ask(() -> failing(9))).hasMessage("out of order 3");
    assertThat(asked).hasValue(3);
  }

  @Test
  void whatAStoreAnswersIsNotAskedTwice() {
    assertThatThrownBy(
            () ->
                THREE.ask(
                    () -> {
                      asked.incrementAndGet();
                      throw new FileNotFoundException("nothing there");
                    }))
        .isInstanceOf(FileNotFoundException.class);
    assertThat(asked).hasValue(1);
  }
}
