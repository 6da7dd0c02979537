package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.train.TaskDraw.Order;

class TaskDrawTest {

  private static final List<Order> BY_PLACE =
      List.of(Order.UNIFORM, Order.UNCERTAIN, Order.CURRICULUM);

  private final List<Task> tasks = SmallShop.environment().tasks(Split.TRAIN);
  private final Map<String, TaskValue> values = new HashMap<>();

  /** V* falls from task to task; the returns of every third vary, those of the first most. */
  private TaskDraw draw(Order order, double keep) {
    for (int i = 0; i < tasks.size(); i++) {
      double spread = i == 0 ? 2 : i % 3 == 0 ? 1 : 0;
      values.put(tasks.get(i).id(), new TaskValue(-i, -i, spread));
    }
    return new TaskDraw(order, keep, tasks, values, 7);
  }

  @Test
  void anEpochTakesEveryTrainTaskOnce() {
    TaskDraw draw = draw(Order.UNIFORM, 1);
    int n = tasks.size();
    assertThat(draw.tasks(0, n)).doesNotHaveDuplicates().hasSize(n);
    assertThat(draw.tasks(n, n)).doesNotHaveDuplicates().isNotEqualTo(draw.tasks(0, n));
  }

  @Test
  void whatIsDrawnAtAPlaceDoesNotDependOnWhereADrawBegan() {
    for (Order order : BY_PLACE) {
      TaskDraw draw = draw(order, 0.5);
      List<Task> whole = draw.tasks(0, 300);
      assertThat(draw.tasks(113, 50)).isEqualTo(whole.subList(113, 163));
      assertThat(new TaskDraw(order, 0.5, tasks, values, 8).tasks(0, 300)).isNotEqualTo(whole);
    }
  }

  @Test
  void uncertainTasksAreDrawnInProportionToTheirSpread() {
    int draws = 40_000;
    Map<Task, Integer> counts = new HashMap<>();
    draw(Order.UNCERTAIN, 1).tasks(0, draws).forEach(task -> counts.merge(task, 1, Integer::sum));
    double mean = tasks.stream().mapToDouble(t -> values.get(t.id()).spread()).average().orElse(0);
    for (int i = 0; i < 4; i++) {
      double weight = values.get(tasks.get(i).id()).spread() + 0.1 * mean;
      double expected = draws * weight / (1.1 * mean * tasks.size());
      double deviation = Math.sqrt(expected);
      assertThat((double) counts.getOrDefault(tasks.get(i), 0))
          .isCloseTo(expected, within(4 * deviation));
    }
  }

  @Test
  void trackedTasksAreDrawnInProportionToTheirPrioritiesEachOnceAStep() {
    TaskDraw draw = draw(Order.TRACKED, 1);
    Task likely = tasks.get(3);
    int n = tasks.size();
    ToDoubleFunction<String> priorities = task -> task.equals(likely.id()) ? 5 : 1;
    int draws = 20_000;
    int first = 0;
    for (int step = 0; step < draws; step++) {
      List<Task> taken = draw.tasks(8L * step, 8, priorities);
      assertThat(taken).hasSize(8).doesNotHaveDuplicates();
      first += taken.get(0).equals(likely) ? 1 : 0;
    }
    double expected = 5.0 / (n + 4) * draws;
    assertThat((double) first).isCloseTo(expected, within(4 * Math.sqrt(expected)));
    assertThat(draw.tasks(8, 8, priorities)).isEqualTo(draw.tasks(8, 8, priorities));
    assertThat(draw.tasks(8, 2 * n, priorities)).hasSize(n);
  }

  @Test
  void aCurriculumBeginsWithTheEasiestQuarterAndEndsWithAll() {
    TaskDraw draw = draw(Order.CURRICULUM, 1);
    int n = tasks.size();
    Set<Task> easiest = new HashSet<>(tasks.subList(0, n / 4 + 2));
    assertThat(easiest).containsAll(draw.tasks(0, 2));
    assertThat(new HashSet<>(draw.tasks(2L * n, 20 * n))).hasSize(n);
    double early = draw.tasks(0, n).stream().mapToInt(tasks::indexOf).average().orElse(0);
    double late = draw.tasks(2L * n, 20 * n).stream().mapToInt(tasks::indexOf).average().orElse(0);
    assertThat(early).isLessThan(0.5 * late);
  }

  @Test
  void onlyTheTasksWhoseReturnsVaryMostAreKept() {
    for (Order order : BY_PLACE) {
      int kept = (int) Math.ceil(0.2 * tasks.size());
      Set<Task> drawn = new HashSet<>(draw(order, 0.2).tasks(0, 50 * tasks.size()));
      assertThat(drawn).hasSize(kept).contains(tasks.get(0));
      assertThat(drawn).allMatch(task -> values.get(task.id()).spread() > 0);
    }
  }

  @Test
  void whatIsUnknownIsRefused() {
    draw(Order.UNIFORM, 1);
    values.put(tasks.get(3).id(), new TaskValue(0, 0, Double.NaN));
    assertThat(new TaskDraw(Order.CURRICULUM, 1, tasks, values, 7).tasks(0, 1)).hasSize(1);
    assertThatThrownBy(() -> new TaskDraw(Order.UNCERTAIN, 1, tasks, values, 7))
        .hasMessageContaining("vstar.samples of 2 or more");
    assertThatThrownBy(() -> new TaskDraw(Order.UNIFORM, 0.5, tasks, values, 7))
        .hasMessageContaining("vstar.samples of 2 or more");
    assertThatThrownBy(() -> Order.of("hard"))
        .hasMessageContaining(
            "'train.tasks' is 'hard', expected uniform, uncertain, curriculum" + " or tracked");
  }
}
