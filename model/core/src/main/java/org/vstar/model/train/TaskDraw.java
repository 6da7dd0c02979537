package org.vstar.model.train;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Task;

/**
 * Which tasks the steps of training take. The task at a place in the order is a function of the
 * seed and the place, so that a run that goes on takes the same.
 */
final class TaskDraw {

  /** In which order tasks are taken. */
  enum Order {
    /** Shuffled epochs: each task once, then each once more. */
    UNIFORM,

    /**
     * In proportion to how much the reference policy's returns vary: where they are all alike, an
     * advantage has least to say.
     */
    UNCERTAIN,

    /** From the easiest quarter first, and from ever more, until all are in after two epochs. */
    CURRICULUM,

    /**
     * Those that the objective's estimator finds most to learn from, by what it knows when a step
     * begins.
     */
    TRACKED;

    static Order of(String word) {
      for (Order order : values()) {
        if (order.word().equals(word)) {
          return order;
        }
      }
      throw new InvalidInputException(
          "config key 'train.tasks' is '"
              + word
              + "', expected uniform, uncertain, curriculum or"
              + " tracked");
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A task whose returns are all alike is drawn so often, relative to the mean of all. */
  private static final double LEAST = 0.1;

  private static final double FIRST_POOL = 0.25;
  private static final double EPOCHS_TO_ALL = 2;

  private final Order order;
  private final long seed;
  private final List<Task> tasks;
  private final double[] cumulative;

  /**
   * Prepares the draw.
   *
   * @param keep share of the tasks that train, those whose returns vary most (StarPO-S)
   * @param values of each task
   */
  TaskDraw(Order order, double keep, List<Task> all, Map<String, TaskValue> values, long seed) {
    this.order = order;
    this.seed = seed;
    boolean needed = order == Order.UNCERTAIN || keep < 1;
    if (needed && all.stream().anyMatch(task -> !known(values.get(task.id()).spread()))) {
      throw new InvalidInputException(
          "train.tasks: uncertain and train.keep need the spread of returns, which one sample of a"
              + " task does not have: run submit/vstar with vstar.samples of 2 or more");
    }
    List<Task> kept = new ArrayList<>(all);
    if (keep < 1) {
      // Stable, so that of equals the first stays.
      kept.sort(Comparator.comparing((Task task) -> -values.get(task.id()).spread()));
      kept = new ArrayList<>(kept.subList(0, (int) Math.ceil(keep * all.size())));
    }
    if (order == Order.CURRICULUM) {
      kept.sort(Comparator.comparing((Task task) -> -values.get(task.id()).vStar()));
    }
    tasks = List.copyOf(kept);
    cumulative = order == Order.UNCERTAIN ? cumulative(values) : new double[0];
  }

  private static boolean known(double spread) {
    return Double.isFinite(spread);
  }

  private double[] cumulative(Map<String, TaskValue> values) {
    double mean =
        tasks.stream().mapToDouble(task -> values.get(task.id()).spread()).average().orElse(0);
    double[] sums = new double[tasks.size()];
    double sum = 0;
    for (int i = 0; i < sums.length; i++) {
      sum += mean == 0 ? 1 : values.get(tasks.get(i).id()).spread() + LEAST * mean;
      sums[i] = sum;
    }
    return sums;
  }

  /** All that train. */
  List<Task> tasks() {
    return tasks;
  }

  /**
   * Some tasks from a place in the order, each at most once, drawn in proportion to their
   * priorities (Efraimidis and Spirakis 2006: the largest u^(1/w), u being uniform).
   *
   * @param priorities of tasks by id, more than 0
   */
  List<Task> tasks(long cursor, int count, ToDoubleFunction<String> priorities) {
    RandomGenerator random = Seeds.random(seed, "draw of a task", order.word(), cursor);
    Map<Task, Double> keys = new LinkedHashMap<>();
    for (Task task : tasks) {
      keys.put(task, Math.log(1 - random.nextDouble()) / priorities.applyAsDouble(task.id()));
    }
    return tasks.stream()
        .sorted(Comparator.comparing((Task task) -> -keys.get(task)))
        .limit(count)
        .toList();
  }

  /** Some tasks from a place in the order. */
  List<Task> tasks(long cursor, int count) {
    List<Task> drawn = new ArrayList<>();
    if (order == Order.UNIFORM) {
      addEpochs(cursor, count, drawn);
      return drawn;
    }
    for (long i = cursor; i < cursor + count; i++) {
      drawn.add(
          tasks.get(
              switch (order) {
                case UNCERTAIN -> uncertain(i);
                case CURRICULUM -> fromPool(i);
                case UNIFORM, TRACKED ->
                    throw new IllegalStateException("not drawn one by one: " + order.word());
              }));
    }
    return drawn;
  }

  private void addEpochs(long cursor, int count, List<Task> drawn) {
    long epoch = -1;
    List<Task> shuffled = List.of();
    for (long i = cursor; i < cursor + count; i++) {
      if (i / tasks.size() != epoch) {
        epoch = i / tasks.size();
        shuffled = new ArrayList<>(tasks);
        Seeds.shuffle(shuffled, Seeds.random(seed, "order of tasks", epoch));
      }
      drawn.add(shuffled.get((int) (i % tasks.size())));
    }
  }

  private double uniform(long place) {
    return Seeds.random(seed, "draw of a task", order.word(), place).nextDouble();
  }

  private int uncertain(long place) {
    double at = uniform(place) * cumulative[cumulative.length - 1];
    int found = java.util.Arrays.binarySearch(cumulative, at);
    return Math.min(found < 0 ? -found - 1 : found + 1, cumulative.length - 1);
  }

  private int fromPool(long place) {
    double share = FIRST_POOL + (1 - FIRST_POOL) * place / (EPOCHS_TO_ALL * tasks.size());
    int pool = (int) Math.ceil(Math.min(1, share) * tasks.size());
    return (int) (uniform(place) * pool);
  }
}
