package org.vstar.env.frozenlake;

import java.nio.file.Path;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.ragen.Demonstrator;
import org.vstar.env.ragen.Games;
import org.vstar.env.ragen.GridMode;
import org.vstar.env.ragen.LoopConfig;
import org.vstar.env.ragen.SeedConfig;

/**
 * {@code environment} section for {@code kind: frozenlake}.
 *
 * @param size rows and columns of the lake
 * @param frozen share of tiles that are no hole, before a map without a way is drawn again
 * @param rate probability that the player goes where it wants to; it goes to either side otherwise
 * @param mode how the lake is shown
 * @param loop the loop around the game
 * @param tasks which seeds are tasks
 * @param demonstrator who is imitated
 */
public record FrozenLakeConfig(
    @Default("4") int size,
    @Default("0.9") double frozen,
    @Default("0.8") double rate,
    @Default("grid") GridMode mode,
    @Default("{}") LoopConfig loop,
    @Default("{}") SeedConfig tasks,
    @Default("{}") Demonstrator demonstrator)
    implements EnvironmentConfig {

  private static final int LARGEST = 20;

  /** Checks the ranges. */
  public FrozenLakeConfig {
    InvalidInputException.require(
        size > 1 && size <= LARGEST, "environment.size", size, "2 to " + LARGEST);
    InvalidInputException.require(
        frozen > 0 && frozen <= 1, "environment.frozen", frozen, "more than 0, at most 1");
    InvalidInputException.requireProbability("environment.rate", rate);
  }

  /** Makes {@code frozenlake} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return FrozenLake.NAME;
    }

    @Override
    public Class<FrozenLakeConfig> config() {
      return FrozenLakeConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    return Games.open(new FrozenLake(size, frozen, rate, mode), loop, tasks, demonstrator);
  }
}
