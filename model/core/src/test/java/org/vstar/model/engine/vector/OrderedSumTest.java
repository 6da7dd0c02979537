package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.vstar.common.Parallel;

@Timeout(60)
class OrderedSumTest {

  private final List<Float> added = new ArrayList<>();

  private OrderedSum sum(int places) {
    return new OrderedSum(new float[places][1], term -> added.add(term[0]));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aThreadGoesOnWhileAnEarlierTermIsComputedAndTermsAreAddedInTheirOrder() {
    OrderedSum sum = sum(OrderedSum.places(2, 1));
    CountDownLatch third = new CountDownLatch(3);
    List<Runnable> work = new ArrayList<>();
    work.add(
        () ->
            sum.add(
                0,
                place -> {
                  // Terms 1, 2 and 3 have room beside it.
                  await(third);
                  place[0] += 1;
                }));
    for (int i = 1; i < 40; i++) {
      int term = i;
      work.add(
          () ->
              sum.add(
                  term,
                  place -> {
                    place[0] += term + 1;
                    third.countDown();
                  }));
    }
    Parallel.run(2, work);
    assertThat(added).isEqualTo(IntStream.rangeClosed(1, 40).mapToObj(Float::valueOf).toList());
  }

  @Test
  void aTermThatFailsEndsAllThatWaitForIt() {
    OrderedSum sum = sum(2);
    List<Runnable> work = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int term = i;
      work.add(
          () ->
              sum.add(
                  term,
                  place -> {
                    if (term == 3) {
                      throw new IllegalArgumentException("term 3");
                    }
                    place[0] = term;
                  }));
    }
    assertThatThrownBy(() -> Parallel.run(2, work))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("term 3");
    assertThat(added.size()).isLessThanOrEqualTo(3);
  }
}
