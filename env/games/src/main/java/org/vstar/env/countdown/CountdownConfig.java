package org.vstar.env.countdown;

import java.nio.file.Path;
import org.vstar.common.Default;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.ragen.Demonstrator;
import org.vstar.env.ragen.Games;
import org.vstar.env.ragen.LoopConfig;
import org.vstar.env.ragen.SeedConfig;

/**
 * {@code environment} section for {@code kind: countdown}.
 *
 * @param loop the loop around the game
 * @param tasks which seeds are tasks
 * @param demonstrator who is imitated
 */
public record CountdownConfig(
    @Default("{\"turns\": 1, \"actionsPerTurn\": 1, \"actions\": 1}") LoopConfig loop,
    @Default("{}") SeedConfig tasks,
    @Default("{}") Demonstrator demonstrator)
    implements EnvironmentConfig {

  /** Makes {@code countdown} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return Countdown.NAME;
    }

    @Override
    public Class<CountdownConfig> config() {
      return CountdownConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    return Games.open(new Countdown(), loop, tasks, demonstrator);
  }
}
