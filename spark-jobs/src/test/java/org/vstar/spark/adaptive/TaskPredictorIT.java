package org.vstar.spark.adaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.vstar.spark.TestRun;

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
      tasks.add(new TaskSamples("t" + i, KINDS[kind], prompt, samples, won));
    }
    return tasks;
  }

  @Test
  void wordsAndCategoryPredictWhatTasksGive() {
    List<TaskSamples> tasks = tasks(300, 4, 0);
    double[] predicted = new TaskPredictor(spark).predict(tasks);
    double[] means = new double[6];
    for (int i = 0; i < predicted.length; i++) {
      int group = i % 3 + (tasks.get(i).prompt().contains("cheap") ? 3 : 0);
      means[group] += predicted[i] / 50;
    }
    for (int kind = 0; kind < 3; kind++) {
      assertThat(means[kind]).isCloseTo(CHANCE[kind], within(0.12));
      assertThat(means[kind + 3]).isGreaterThan(means[kind]);
    }
  }

  @Test
  void aTasksOwnSamplesDoNotMoveItsPrediction() {
    // So many that one of them does not change which ridge is chosen.
    List<TaskSamples> tasks = tasks(300, 4, 0);
    double[] before = new TaskPredictor(spark).predict(tasks);
    TaskSamples own = tasks.get(1);
    tasks.set(1, won(own, own.samples() - own.weights()));
    double[] after = new TaskPredictor(spark).predict(tasks);
    assertThat(after[1]).isEqualTo(before[1]);
    assertThat(after[0]).isNotEqualTo(before[0]);
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
    return new TaskSamples(task.taskId(), task.category(), task.prompt(), task.samples(), weights);
  }

  @Test
  void aPredictionIsWorthMuchWhereTasksAreAsPredictedAndLittleWhereTheyAreNot() {
    assertThat(worth(0)).isGreaterThan(20);
    assertThat(worth(1.5)).isBetween(0.5, 6.0);
    List<TaskSamples> lost = tasks(60, 4, 0).stream().map(t -> won(t, 0)).toList();
    assertThat(Adaptive.worth(lost, new double[60])).isEqualTo(0.5);
    assertThat(Adaptive.worth(tasks(60, 1, 0), new double[60])).isEqualTo(0.5);
  }

  /** The worth of a prediction that knows the words and not a task's own part. */
  private static double worth(double noise) {
    List<TaskSamples> tasks = tasks(3000, 8, noise);
    double[] known = new double[tasks.size()];
    for (int i = 0; i < known.length; i++) {
      known[i] = CHANCE[i % 3] + (tasks.get(i).prompt().contains("cheap") ? 0.15 : 0);
    }
    return Adaptive.worth(tasks, known);
  }
}
