package org.vstar.env.ragen;

import org.vstar.env.Opened;

/** Opens a game as an environment, with its players. */
public final class Games {

  private Games() {}

  /**
   * An environment with demonstrations and baselines.
   *
   * @throws org.vstar.common.InvalidInputException if there are not as many tasks as there should
   *     be
   */
  public static Opened open(
      World world, LoopConfig loop, SeedConfig tasks, Demonstrator demonstrator) {
    GameEnvironment environment = new GameEnvironment(world, loop, tasks);
    return new Opened(
        environment, GamePlayer.demonstrations(environment, demonstrator), GamePlayer.baselines());
  }
}
