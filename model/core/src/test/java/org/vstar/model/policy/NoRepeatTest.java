package org.vstar.model.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class NoRepeatTest {

  private static final int VOCABULARY = 6;

  private static BitSet of(int... tokens) {
    BitSet set = new BitSet();
    for (int token : tokens) {
      set.set(token);
    }
    return set;
  }

  /** What can come behind an answer, for runs of 3. */
  private static BitSet allowed(int[] answer, BitSet legal) {
    return new NoRepeat(3, VOCABULARY).allowed(answer, 0, answer.length, legal);
  }

  @Test
  void everyTokenThatWouldEndAnEarlierRunIsLeftOut() {
    assertThat(allowed(new int[] {1, 2, 3, 1, 2}, null)).isEqualTo(of(0, 1, 2, 4, 5));
    assertThat(allowed(new int[] {1, 2, 3, 1, 2, 4, 1, 2}, null)).isEqualTo(of(0, 1, 2, 5));
    assertThat(allowed(new int[] {5, 5, 5}, null)).as("overlapping").isEqualTo(of(0, 1, 2, 3, 4));
    assertThat(allowed(new int[] {1, 2, 3, 2, 1}, null)).isEqualTo(of(0, 1, 2, 3, 4, 5));
  }

  @Test
  void whatIsShorterThanARunIsFree() {
    assertThat(allowed(new int[] {}, null).cardinality()).isEqualTo(VOCABULARY);
    assertThat(allowed(new int[] {1, 1}, null).cardinality()).isEqualTo(VOCABULARY);
  }

  @Test
  void onlyTheAnswerItselfCounts() {
    int[] episode = {1, 2, 3, 1, 2};
    assertThat(new NoRepeat(3, VOCABULARY).allowed(episode, 1, 5, null).get(3)).isTrue();
  }

  @Test
  void whatElseIsLegalStaysTheBoundAndIsNeverEmptied() {
    int[] answer = {1, 2, 3, 1, 2};
    assertThat(allowed(answer, of(3, 4))).isEqualTo(of(4));
    BitSet only = of(3);
    assertThat(allowed(answer, only)).isEqualTo(of(3));
    assertThat(only).isEqualTo(of(3));
  }
}
