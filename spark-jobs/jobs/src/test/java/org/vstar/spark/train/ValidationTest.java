package org.vstar.spark.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.env.Split;
import org.vstar.env.Task;

class ValidationTest {

  /** Ten goals of each of six products, one product after the other. */
  @Test
  void validationInTrainingPlaysGoalsOfAllProducts() {
    List<Task> tasks =
        IntStream.range(0, 60)
            .mapToObj(i -> new Task("t" + i, "shop", Split.VALIDATION, "", "", "product " + i / 10))
            .toList();
    List<Task> some = Validation.spread(tasks, 12);
    assertThat(some).hasSize(12).doesNotHaveDuplicates();
    assertThat(some.stream().map(Task::cluster).distinct()).hasSize(6);
    assertThat(Validation.spread(tasks, 1)).containsExactly(tasks.get(0));
    assertThat(Validation.spread(tasks, 100)).isEqualTo(tasks);
  }
}
