package org.vstar.env.shopping;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.Split;
import org.vstar.env.shopping.SplitAudit.Wanted;

class SplitAuditTest {

  @Test
  void countsTestGoalsByWhatTheyShareWithTraining() {
    List<Wanted> train = List.of(new Wanted("mug", "red", "a mug"), new Wanted("hat", "", "a hat"));
    List<Wanted> test =
        List.of(
            new Wanted("mug", "red", "a mug"),
            new Wanted("mug", "red", "a mug, cheap"),
            new Wanted("mug", "blue", "a mug"),
            new Wanted("rug", "red", "a rug"));
    SplitAudit audit = SplitAudit.of(train, test);
    assertThat(audit).isEqualTo(new SplitAudit(4, 1, 2, 3, 2, 3));
    assertThat(audit.lines("product", Split.TEST))
        .containsExactly(
            "Split product: 4 test goals of 2 products, at most 3 of one product.",
            "Of the test goals, 1 are also trained on, 2 have product and options in common with a"
                + " goal that is, 3 the product.");
  }
}
