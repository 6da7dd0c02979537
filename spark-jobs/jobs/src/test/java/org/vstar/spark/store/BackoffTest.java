package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private static final Backoff THREE = new Backoff(3, 1);

  private final AtomicInteger asked = new AtomicInteger();

  private int failing(int times) throws IOException {
    if (asked.incrementAndGet() <= times) {
      throw new IOException("out of order " + asked);
    }
    return asked.get();
  }

  private int failing(IOException fault) throws IOException {
    asked.incrementAndGet();
    throw fault;
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
  void aConnectionThatTimesOutIsTriedAgain() {
    SocketTimeoutException slow = new SocketTimeoutException("60 s without a word");
    assertThatThrownBy(() -> THREE.ask(() -> failing(slow))).isSameAs(slow);
    assertThat(asked).hasValue(3);
  }

  @Test
  void whatAStoreAnswersAndAnInterruptAreNotAskedTwice() {
    for (IOException answer :
        List.of(
            new FileNotFoundException("nothing there"),
            new AccessDeniedException("/runs"),
            new EOFException("past the end"),
            new InterruptedIOException("stopped"))) {
      asked.set(0);
      assertThatThrownBy(() -> THREE.ask(() -> failing(answer))).isSameAs(answer);
      assertThat(asked).hasValue(1);
    }
  }
}
