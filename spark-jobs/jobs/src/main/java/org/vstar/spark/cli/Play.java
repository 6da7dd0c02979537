package org.vstar.spark.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Lets a person do a task: the same observations, actions and rewards that an agent has. Or lets a
 * policy do it, for a person to watch.
 */
@Command(
    name = "play",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Lets you do a validation task yourself, or watch a policy do it. An empty line or end of"
            + " input leaves.")
public final class Play implements Callable<Integer> {

  @Mixin private JobContext job;

  @Option(
      names = "--task",
      paramLabel = "NUMBER",
      description = "which of the validation tasks, from 0 (default: any)")
  private Integer number;

  @Option(
      names = "--policy",
      paramLabel = "FOLDER",
      description =
          "watch this policy, in Hugging Face's layout (a folder or a URI); it answers greedily")
  private String policy;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Play(), args);
  }

  @Override
  public Integer call() throws IOException {
    Environment environment = job.environment();
    List<Task> tasks = environment.tasks(Split.VALIDATION);
    int index =
        number != null
            ? number
            : Seeds.random(System.nanoTime(), "task to play").nextInt(tasks.size());
    if (index < 0 || index >= tasks.size()) {
      throw new InvalidInputException(
          "--task is " + index + ", expected 0 to " + (tasks.size() - 1));
    }
    if (policy != null) {
      watch(environment, tasks.get(index));
    } else {
      play(environment, tasks.get(index));
    }
    return 0;
  }

  private void watch(Environment environment, Task task) {
    RunConfig config = job.config();
    Policy shopper = job.policy(policy).open();
    Trajectory played =
        new Rollouts(environment, shopper, config.sampling().greedy())
            .run(
                List.of(new Request(task, 0, Seeds.derive(config.seed(), "play", task.id()))), 1, 1)
            .get(0);
    for (int i = 0; i < played.turns().size(); i++) {
      Turn turn = played.turns().get(i);
      Console.out().println(turn.observation());
      Console.out().printf(Locale.ROOT, "%d of %d> ", i + 1, environment.maxTurns());
      Console.answer("(%s) %s", turn.answer().thought(), turn.answer().action());
      said(turn.outcome());
    }
    Console.answer("return %.2f", played.episodeReturn());
  }

  private static void said(Outcome outcome) {
    Console.answer("[%s, reward %+.2f]", outcome.event(), outcome.reward());
  }

  private static void play(Environment environment, Task task) throws IOException {
    Episode episode = environment.start(task);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    double episodeReturn = 0;
    for (int turn = 1; turn <= environment.maxTurns(); turn++) {
      Console.out().println(episode.observation());
      Console.out().printf(Locale.ROOT, "%d of %d> ", turn, environment.maxTurns());
      Console.out().flush();
      String action = in.readLine();
      if (action == null || action.isBlank()) {
        Console.out().println();
        break;
      }
      Outcome outcome = episode.step(action);
      episodeReturn += outcome.reward();
      said(outcome);
      if (outcome.done()) {
        Console.out().println(episode.observation());
        break;
      }
    }
    Console.answer("return %.2f", episodeReturn);
  }
}
