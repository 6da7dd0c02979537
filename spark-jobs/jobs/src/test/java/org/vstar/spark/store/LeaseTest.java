package org.vstar.spark.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;

class LeaseTest {

  private static final Lease.Timing QUICK =
      new Lease.Timing(Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofMillis(300));

  @TempDir Path folder;
  private Store store;

  @BeforeEach
  void open() {
    store = Store.open(folder.toString());
  }

  private Lease take(String holder) throws IOException {
    return Lease.take(store, ".tables.lock", "out/tables", holder, Duration.ZERO, QUICK);
  }

  @Test
  void whoeverHoldsItIsNamedAndGivingItUpLeavesNothing() throws IOException {
    Lease lease = take("submit/vstar");
    lease.requireHeld();
    assertThatThrownBy(() -> take("another"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "out/tables is being written by submit/vstar, process "
                + ProcessHandle.current().pid()
                + " on ")
        .hasMessageContaining("if it was killed, it is free after 5 s");
    lease.close();
    assertThat(folder).isEmptyDirectory();
    take("another").close();
  }

  @Test
  void givingItUpInTheMidstOfARenewalLeavesNothing() throws Exception {
    Lease.Timing restless =
        new Lease.Timing(Duration.ofMillis(1), Duration.ofSeconds(5), Duration.ofMillis(1));
    for (int i = 0; i < 30; i++) {
      Lease lease =
          Lease.take(store, ".tables.lock", "out/tables", "restless", Duration.ZERO, restless);
      Thread.sleep(2 + i % 7);
      lease.close();
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void itIsRenewedSoThatALongJobKeepsIt() throws Exception {
    Lease lease = take("submit/vstar");
    FileTime first = Files.getLastModifiedTime(folder.resolve(".tables.lock"));
    while (Files.getLastModifiedTime(folder.resolve(".tables.lock")).equals(first)) {
      Thread.sleep(10);
    }
    lease.requireHeld();
    lease.close();
  }

  @Test
  void whatAKilledHolderLeftIsTakenOverAndTheHolderFindsOut() throws IOException {
    Lease slow =
        Lease.take(
            store,
            ".tables.lock",
            "out/tables",
            "slow",
            Duration.ZERO,
            new Lease.Timing(Duration.ofHours(1), Duration.ofSeconds(5), Duration.ofMillis(1)));
    Files.setLastModifiedTime(
        folder.resolve(".tables.lock"), FileTime.from(Instant.now().minusSeconds(6)));
    Lease next = take("next");
    next.requireHeld();
    assertThatThrownBy(slow::requireHeld)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("no longer has the right to write out/tables");
    slow.close();
    next.requireHeld();
    next.close();
  }

  @Test
  void ofManyWhoTakeItAtOnceOneHasIt() {
    List<CompletableFuture<Lease>> takers =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          try {
                            return take("taker " + i);
                          } catch (IOException | InvalidInputException e) {
                            return null;
                          }
                        },
                        work -> new Thread(work).start()))
            .toList();
    List<Lease> holders =
        takers.stream().map(CompletableFuture::join).filter(lease -> lease != null).toList();
    assertThat(holders).hasSize(1);
    holders.get(0).requireHeld();
    holders.get(0).close();
  }
}
