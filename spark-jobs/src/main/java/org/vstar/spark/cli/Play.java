package org.vstar.spark.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lets a person do a task: the same observations, actions and rewards that an agent has. */
@Command(
    name = "play",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Lets you do a validation task yourself. An empty line or end of input leaves.")
public final class Play implements Callable<Integer> {

  @Mixin private JobContext job;

  @Option(
      names = "--task",
      paramLabel = "NUMBER",
      description = "which of the validation tasks, from 0 (default: any)")
  private Integer number;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Play(), args);
  }

  @Override
  public Integer call() throws IOException {
    Environment environment = job.environment();
    List<Task> tasks = environment.tasks(Split.VALIDATION);
    int index = number != null ? number : new SplittableRandom().nextInt(tasks.size());
    if (index < 0 || index >= tasks.size()) {
      throw new InvalidInputException(
          "--task is " + index + ", expected 0 to " + (tasks.size() - 1));
    }
    Episode episode = environment.start(tasks.get(index));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    double episodeReturn = 0;
    for (int turn = 1; turn <= environment.maxTurns(); turn++) {
      System.out.println(episode.observation());
      System.out.printf("%d of %d> ", turn, environment.maxTurns());
      System.out.flush();
      String action = in.readLine();
      if (action == null || action.isBlank()) {
        System.out.println();
        break;
      }
      Outcome outcome = episode.step(action);
      episodeReturn += outcome.reward();
      System.out.printf(Locale.ROOT, "[%s, reward %+.2f]%n", outcome.event(), outcome.reward());
      if (outcome.done()) {
        System.out.println(episode.observation());
        break;
      }
    }
    System.out.printf(Locale.ROOT, "return %.2f%n", episodeReturn);
    return 0;
  }
}
