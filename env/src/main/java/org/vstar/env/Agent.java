package org.vstar.env;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A scripted agent: it sees what a policy sees, and nothing else. */
@FunctionalInterface
public interface Agent {

  /**
   * Answers an observation.
   *
   * @param history the earlier turns of the episode
   * @param observation what is to be answered
   * @param random the episode's own source of chance
   */
  Answer answer(List<Turn> history, String observation, SplittableRandom random);

  /** Plays one episode to its end. The same task and seed give the same turns. */
  default List<Turn> play(Environment environment, Task task, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Episode episode = environment.start(task);
    List<Turn> turns = new ArrayList<>();
    Outcome outcome;
    do {
      String observation = episode.observation();
      Answer answer = answer(List.copyOf(turns), observation, random);
      outcome = episode.step(answer.action());
      turns.add(new Turn(observation, answer, outcome));
    } while (!outcome.done() && turns.size() < environment.maxTurns());
    return turns;
  }
}
