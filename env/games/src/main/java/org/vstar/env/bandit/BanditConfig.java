package org.vstar.env.bandit;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Split;
import org.vstar.env.Task;

/**
 * {@code environment} section for {@code kind: bandit}.
 *
 * @param tasks tasks of each split, each a draw of the machine
 * @param seed of the draws
 * @param chance the probability that the risky arm pays
 */
public record BanditConfig(int tasks, long seed, double chance)
    implements EnvironmentConfig, Serializable {

  private static final int MOST_TASKS = 1_000_000;

  /** Checks the ranges. */
  public BanditConfig {
    InvalidInputException.require(
        tasks > 0 && tasks <= MOST_TASKS, "tasks", tasks, "1 to " + MOST_TASKS);
    InvalidInputException.requireProbability("chance", chance);
  }

  /** Makes {@code bandit} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return Bandit.NAME;
    }

    @Override
    public Class<BanditConfig> config() {
      return BanditConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    Bandit bandit = new Bandit(this);
    return new Opened(bandit, demonstrations(bandit), Map.of("random", random()));
  }

  /** Chooses one of the two arms at random, whatever they are called. */
  private static Agent random() {
    return (history, observation, random) ->
        new Answer("", observation.split(" ")[random.nextBoolean() ? 1 : 3]);
  }

  private static DemonstrationSource demonstrations(Bandit bandit) {
    return (seed, episodes) -> {
      List<Task> tasks = bandit.tasks(Split.TRAIN);
      SplittableRandom seeds = Seeds.random(seed, "demonstrations");
      return Stream.generate(() -> tasks.get(seeds.nextInt(tasks.size())))
          .limit(episodes)
          .map(task -> random().play(bandit, task, seeds.nextLong()))
          .toList();
    };
  }
}
