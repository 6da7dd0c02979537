package org.vstar.env.bandit;

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
 * {@code environment} section for {@code kind: ragen-bandit}.
 *
 * @param loop the loop around the game
 * @param tasks which seeds are tasks
 * @param demonstrator who is imitated
 */
public record NamedBanditConfig(
    @Default("{\"turns\": 1, \"actionsPerTurn\": 1, \"actions\": 1}") LoopConfig loop,
    @Default("{}") SeedConfig tasks,
    @Default("{}") Demonstrator demonstrator)
    implements EnvironmentConfig {

  /** Makes {@code ragen-bandit} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return NamedBandit.NAME;
    }

    @Override
    public Class<NamedBanditConfig> config() {
      return NamedBanditConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    return Games.open(new NamedBandit(), loop, tasks, demonstrator);
  }
}
