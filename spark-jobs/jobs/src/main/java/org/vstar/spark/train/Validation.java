package org.vstar.spark.train;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.Trainer;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.tracking.MetricsSink;

/** The short evaluation between updates: greedy episodes on some validation tasks. */
public final class Validation {

  private Validation() {}

  /** The episodes, the same at every call. {@code train.evaluateTasks} says how many. */
  public static List<Request> requests(RunConfig config, Environment environment) {
    List<Request> requests = new ArrayList<>();
    for (Task task :
        spread(environment.tasks(Split.VALIDATION), config.train().schedule().evaluateTasks())) {
      long seed = Seeds.derive(config.seed(), "validation", task.id());
      requests.add(new Request(task, 0, seed));
    }
    return requests;
  }

  /** Some tasks at equal strides: neighbours are alike, for example goals of one product. */
  static List<Task> spread(List<Task> tasks, int most) {
    int count = Math.min(tasks.size(), most);
    return IntStream.range(0, count)
        .mapToObj(i -> tasks.get((int) ((long) i * tasks.size() / count)))
        .toList();
  }

  /** Success, return and turns in the mean, and the number of episodes. */
  public static Map<String, Double> scalars(List<Trajectory> episodes) {
    double n = episodes.size();
    Map<String, Double> scalars = new LinkedHashMap<>();
    scalars.put("success", episodes.stream().filter(Trajectory::success).count() / n);
    scalars.put("return", episodes.stream().mapToDouble(Trajectory::episodeReturn).sum() / n);
    scalars.put("turns", episodes.stream().mapToInt(t -> t.turns().size()).sum() / n);
    scalars.put("episodes", n);
    return scalars;
  }

  /** Greedy episodes on validation tasks, the same at every call. */
  static void play(
      RunConfig config,
      Environment environment,
      Trainer trainer,
      RolloutWorkers workers,
      MetricsSink metrics)
      throws IOException {
    List<Trajectory> episodes =
        workers.play(
            trainer.policy(),
            trainer.step(),
            config.sampling().greedy(),
            requests(config, environment));
    Map<String, Double> scalars = scalars(episodes);
    metrics.scalars(MetricsSink.VALIDATION, trainer.step(), scalars);
    Console.progress(
        "validation after %d steps: success %.3f on %d tasks",
        trainer.step(), scalars.get("success"), episodes.size());
  }
}
