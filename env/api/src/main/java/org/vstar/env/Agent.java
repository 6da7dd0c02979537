package org.vstar.env;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;

/** A scripted agent: it sees what a policy sees, and nothing else. */
@FunctionalInterface
public interface Agent extends Player {

  /**
   * Answers an observation.
   *
   * @param history the earlier turns of the episode
   * @param observation what is to be answered
   * @param random the episode's own source of chance
   */
  Answer answer(List<Turn> history, String observation, SplittableRandom random);

  @Override
  default List<Turn> play(Environment environment, Task task, long seed) {
    SplittableRandom random = Seeds.random(seed, "agent");
    List<Turn> turns = new ArrayList<>();
    try {
      Episode episode = environment.start(task, Seeds.derive(seed, "environment"));
      Outcome outcome;
      do {
        String observation = episode.observation();
        Answer answer = answer(List.copyOf(turns), observation, random);
        outcome = episode.step(answer.action());
        if (!Double.isFinite(outcome.reward())) {
          throw new ArithmeticException("the reward is " + outcome.reward());
        }
        turns.add(new Turn(observation, answer, outcome));
      } while (!outcome.done() && turns.size() < environment.maxTurns());
    } catch (Exception | StackOverflowError | AssertionError | LinkageError e) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "task %s (seed %d), turn %d: the environment or its agent failed: %s",
              task.id(),
              seed,
              turns.size(),
              e),
          e);
    }
    return turns;
  }
}
