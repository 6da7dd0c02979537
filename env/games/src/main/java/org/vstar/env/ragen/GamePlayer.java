package org.vstar.env.ragen;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Answer;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.Outcome;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/** Players that look at the game behind the texts. */
final class GamePlayer {

  private static final String UNKNOWN = "wait";

  private GamePlayer() {}

  /** How the actions of a turn are chosen. */
  @FunctionalInterface
  private interface Choice extends Serializable {
    List<String> of(World world, LoopEpisode episode, SplittableRandom random);
  }

  /** Players to compare policies with, by name. */
  static Map<String, Player> baselines() {
    Map<String, Player> players = new LinkedHashMap<>();
    players.put("random", player((world, e, random) -> List.of(world.random(e.game(), random))));
    players.put("greedy", player((world, e, random) -> List.of(world.greedy(e.game()))));
    players.put("expert", demonstrator(Demonstrator.EXPERT));
    return players;
  }

  /** Episodes of a demonstrator on train tasks. */
  static DemonstrationSource demonstrations(GameEnvironment environment, Demonstrator habits) {
    return (seed, episodes) -> {
      Player player = demonstrator(habits);
      List<Task> tasks = environment.tasks(Split.TRAIN);
      SplittableRandom random = Seeds.random(seed, "demonstrations");
      List<List<Turn>> played = new ArrayList<>();
      for (int i = 0; i < episodes; i++) {
        Task task = tasks.get(random.nextInt(tasks.size()));
        played.add(player.play(environment, task, random.nextLong()));
      }
      return played;
    };
  }

  private static Player player(Choice choice) {
    return (environment, task, seed) -> play(environment, task, seed, choice);
  }

  private static Player demonstrator(Demonstrator habits) {
    return (environment, task, seed) -> {
      boolean careful = Seeds.random(seed, "care").nextDouble() < habits.careful();
      Demonstrator own = careful ? Demonstrator.EXPERT : habits;
      return play(environment, task, seed, (world, e, random) -> answer(world, e, random, own));
    };
  }

  /** The plan, or the first action of something else in its place. */
  private static List<String> answer(
      World world, LoopEpisode episode, SplittableRandom random, Demonstrator habits) {
    if (random.nextDouble() < habits.unknown()) {
      return List.of(UNKNOWN);
    }
    double error = random.nextDouble();
    if (error < habits.stray()) {
      return List.of(world.random(episode.game(), random));
    }
    if (error < habits.stray() + habits.greedy()) {
      return List.of(world.greedy(episode.game()));
    }
    return world.plan(episode.game(), episode.budget());
  }

  private static List<Turn> play(Environment environment, Task task, long seed, Choice choice) {
    SplittableRandom random = Seeds.random(seed, "agent");
    World world = ((GameEnvironment) environment).world();
    LoopEpisode episode = (LoopEpisode) environment.start(task, Seeds.derive(seed, "environment"));
    List<Turn> turns = new ArrayList<>();
    try {
      Outcome outcome;
      do {
        String observation = episode.observation();
        Answer answer = new Answer("", LoopEpisode.list(choice.of(world, episode, random)));
        outcome = episode.step(answer.action());
        turns.add(new Turn(observation, answer, outcome));
      } while (!outcome.done() && turns.size() < environment.maxTurns());
    } catch (RuntimeException e) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "task %s (seed %d), turn %d: the game or its player failed: %s",
              task.id(),
              seed,
              turns.size(),
              e),
          e);
    }
    return turns;
  }
}
