package org.vstar.spark.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.spark.TestRun;
import org.vstar.spark.adaptive.Adaptive.Moments;

/** Tasks whose chance is known: it depends on a word of the prompt and on the category. */
class TaskPredictorIT {

  private static final String[] KINDS = {"hat", "lamp", "shoe"};
  private static final double[] CHANCE = {0.1, 0.4, 0.8};

  private SparkSession spark = TestRun.session("local[2]");

  @AfterEach
  void stop() {
    spark.stop();
  }

  private static List<TaskSamples> tasks(int count, int samples, double noise) {
    SplittableRandom random = new SplittableRandom(5);
    List<TaskSamples> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean cheap = random.nextBoolean();
      int kind = i % KINDS.length;
      double own = CHANCE[kind] + (cheap ? 0.15 : 0) + noise * (random.nextDouble() - 0.5);
      double chance = Math.max(0, Math.min(1, own));
      long won = random.doubles(samples).filter(u -> u < chance).count();
      String prompt = "buy the " + (cheap ? "cheap" : "good") + " thing number " + i % 7;
      Task task = new Task("t" + i, "shop", Split.TRAIN, prompt, KINDS[kind], "c" + i);
      tasks.add(new TaskSamples(task, samples, won, won));
    }
    return tasks;
  }

  @Test
  void wordsAndCategoryPredictWhatTasksGive() {
    List<TaskSamples> tasks = tasks(300, 4, 0);
    double[] predicted = new TaskPredictor(spark).predict(tasks);
    double[] means = new double[6];
    int[] sizes = new int[6];
    for (int i = 0; i < predicted.length; i++) {
      int group = i % 3 + (tasks.get(i).task().prompt().contains("cheap") ? 3 : 0);
      means[group] += predicted[i];
      sizes[group]++;
    }
    for (int group = 0; group < 6; group++) {
      means[group] /= sizes[group];
    }
    for (int kind = 0; kind < 3; kind++) {
      assertThat(means[kind]).isCloseTo(CHANCE[kind], within(0.12));
      assertThat(means[kind + 3]).isGreaterThan(means[kind]);
    }
  }

  @Test
  void theSamplesOfATaskAndOfItsClusterDoNotMoveItsPrediction() {
    List<TaskSamples> tasks = tasks(60, 4, 0.5);
    TaskSamples sibling = tasks.get(1);
    Task alike = new Task("s", "shop", Split.TRAIN, sibling.task().prompt(), KINDS[1], "c1");
    tasks.add(new TaskSamples(alike, 4, 2, 2));
    double[] before = new TaskPredictor(spark).predict(tasks);
    // In every fold, and where the choice of the ridge may turn on one task.
    for (int own = 0; own < 3; own++) {
      List<TaskSamples> changed = new ArrayList<>(tasks);
      changed.set(own, won(tasks.get(own), tasks.get(own).weights() > 2 ? 0 : 4));
      double[] after = new TaskPredictor(spark).predict(changed);
      assertThat(after[own]).isEqualTo(before[own]);
      assertThat(after[60] == before[60]).isEqualTo(own == 1);
      assertThat(after).isNotEqualTo(before);
    }
  }

  @Test
  void predictionsDoNotDependOnThreadsAndWithNothingToLearnTheyAreTheMean() {
    List<TaskSamples> tasks = tasks(60, 4, 0.2);
    double[] two = new TaskPredictor(spark).predict(tasks);
    spark.stop();
    spark = TestRun.session("local[1]");
    assertThat(new TaskPredictor(spark).predict(tasks)).isEqualTo(two);
    List<TaskSamples> lost = tasks.stream().map(t -> won(t, 0)).toList();
    assertThat(new TaskPredictor(spark).predict(lost)).containsOnly(0);
    assertThat(new TaskPredictor(spark).predict(tasks.subList(0, 1)))
        .containsExactly(tasks.get(0).mean());
    List<TaskSamples> won = tasks.stream().map(t -> won(t, 4)).toList();
    assertThat(new TaskPredictor(spark).predict(won)).containsOnly(1);
  }

  private static TaskSamples won(TaskSamples task, double weights) {
    return new TaskSamples(task.task(), task.samples(), weights, weights);
  }

  @Test
  void aPredictionIsWorthMuchWhereTasksAreAsPredictedAndLittleWhereTheyAreNot() {
    assertThat(worth(0)).isGreaterThan(20);
    assertThat(worth(1.5)).isBetween(0.5, 6.0);
    List<TaskSamples> lost = tasks(60, 4, 0).stream().map(t -> won(t, 0)).toList();
    assertThat(Moments.of(lost, new double[60])).isEqualTo(new Moments(0.5, 1));
    assertThat(Moments.of(tasks(60, 1, 0), new double[60])).isEqualTo(new Moments(0.5, 1));
  }

  /** The worth of a prediction that knows the words and not a task's own part. */
  private static double worth(double noise) {
    List<TaskSamples> tasks = tasks(3000, 8, noise);
    double[] known = new double[tasks.size()];
    for (int i = 0; i < known.length; i++) {
      known[i] = CHANCE[i % 3] + (tasks.get(i).task().prompt().contains("cheap") ? 0.15 : 0);
    }
    Moments moments = Moments.of(tasks, known);
    assertThat(moments.grading()).isCloseTo(1, within(1e-9));
    return moments.worth();
  }

  /**
   * Means about 1/2 with a variance of 1/192, and samples about them with a fifth of 1/4 − 1/192.
   */
  @Test
  void gradedWeightsScatterAsTheyDoAndNotAsThoseOfZeroAndOne() {
    SplittableRandom random = new SplittableRandom(9);
    double between = 0.25 * 0.25 / 12;
    double half = 0.5 * Math.sqrt(12 * 0.05) / 2;
    List<TaskSamples> tasks = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      double mean = 0.5 + 0.25 * (random.nextDouble() - 0.5);
      double sum = 0;
      double squares = 0;
      for (int k = 0; k < 4; k++) {
        double weight = mean + 2 * half * (random.nextDouble() - 0.5);
        sum += weight;
        squares += weight * weight;
      }
      Task task = new Task("t" + i, "shop", Split.TRAIN, "", "", "c" + i);
      tasks.add(new TaskSamples(task, 4, sum, squares));
    }
    double[] known = new double[tasks.size()];
    Arrays.fill(known, 0.5);
    double within = half * half / 3;
    Moments moments = Moments.of(tasks, known);
    assertThat(moments.worth()).isCloseTo(within / between, within(0.1 * within / between));
    assertThat(moments.grading()).isCloseTo((0.25 - between) / within, within(0.3));
  }
}
