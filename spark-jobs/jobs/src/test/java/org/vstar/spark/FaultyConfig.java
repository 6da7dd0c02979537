package org.vstar.spark;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Episode;
import org.vstar.env.Opened;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;

/**
 * An environment of a user's in which some tasks go wrong: the first throw, or give a reward.
 *
 * @param tasks of each split
 * @param faulty how many of the train tasks go wrong
 * @param reward of these; 0 throws
 */
public record FaultyConfig(int tasks, int faulty, String reward)
    implements EnvironmentConfig, Serializable {

  /** Makes {@code faulty} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return "faulty";
    }

    @Override
    public Class<FaultyConfig> config() {
      return FaultyConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    Environment faulty = new Faulty(this);
    Task first = faulty.tasks(Split.VALIDATION).get(0);
    Agent left = (history, observation, random) -> new Answer("", "left");
    return new Opened(
        faulty,
        (seed, episodes) ->
            Stream.generate(() -> left.play(faulty, first, seed)).limit(episodes).toList(),
        Map.of("left", left));
  }

  private record Faulty(FaultyConfig config) implements Environment {

    @Override
    public String name() {
      return "faulty";
    }

    /** Mending it does not make another environment of it. */
    @Override
    public String fingerprint() {
      return "faulty-1";
    }

    @Override
    public List<Task> tasks(Split split) {
      return IntStream.range(0, config.tasks)
          .mapToObj(i -> new Task(split.word() + i, name(), split, "left or right", "all", "c" + i))
          .toList();
    }

    @Override
    public int maxTurns() {
      return 1;
    }

    @Override
    public Episode start(Task task) {
      boolean wrong =
          task.split() == Split.TRAIN && tasks(Split.TRAIN).indexOf(task) < config.faulty;
      return new Episode() {
        @Override
        public String observation() {
          return task.prompt();
        }

        @Override
        public Outcome step(String action) {
          if (wrong && config.reward.equals("0")) {
            throw new IllegalStateException("the simulator\nis gone");
          }
          double reward = wrong ? Double.parseDouble(config.reward) : action.length() % 3;
          return new Outcome(reward, true, reward > 1, true, "end");
        }
      };
    }
  }
}
