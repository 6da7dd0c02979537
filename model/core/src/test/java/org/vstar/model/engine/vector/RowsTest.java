package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowsTest {

  private final Rows some = new Rows(new int[] {1, 2, 4, 99}, 3);

  @Test
  void gatheredRowsStandOneBehindTheOther() {
    float[] gathered = new float[6];
    some.gather(new float[] {0, 0, 1, 11, 2, 12, 3, 13, 4, 14}, 2, gathered);
    assertThat(gathered).containsExactly(1, 11, 2, 12, 4, 14);
  }

  @Test
  void spreadRowsAreWhereTheirTokensAreAndAllOthersZero() {
    float[] matrix = {1, 11, 2, 12, 4, 14, 7, 7, 7, 7, 7, 7, 8};
    some.spread(matrix, 2, 6);
    assertThat(matrix).containsExactly(0, 0, 1, 11, 2, 12, 0, 0, 4, 14, 0, 0, 8);
    float[] whole = {1, 2, 3};
    Rows.all(3).spread(whole, 1, 3);
    assertThat(whole).containsExactly(1, 2, 3);
    new Rows(new int[0], 0).spread(whole, 1, 3);
    assertThat(whole).containsExactly(0, 0, 0);
  }

  @Test
  void theFirstFromATokenOnIsThatTokenOrOneBehindIt() {
    assertThat(some.firstFrom(0)).isZero();
    assertThat(some.firstFrom(2)).isEqualTo(1);
    assertThat(some.firstFrom(3)).isEqualTo(2);
    assertThat(some.firstFrom(5)).isEqualTo(3);
  }
}
