package org.vstar.env.sokoban;

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
 * {@code environment} section for {@code kind: sokoban}.
 *
 * @param room what rooms are like
 * @param mode how a room is shown
 * @param symbols of wall, floor, target, box on target, box, player, player on target
 * @param maxSteps steps after which the game is over, whatever the loop allows
 * @param loop the loop around the game
 * @param tasks which seeds are tasks
 * @param demonstrator who is imitated
 */
public record SokobanConfig(
    @Default("{}") RoomConfig room,
    @Default("grid") GridMode mode,
    @Default("#_O√XPS") String symbols,
    @Default("100") int maxSteps,
    @Default("{}") LoopConfig loop,
    @Default("{}") SeedConfig tasks,
    @Default("{}") Demonstrator demonstrator)
    implements EnvironmentConfig {

  /** Checks the ranges. */
  public SokobanConfig {
    InvalidInputException.require(
        symbols.length() == Sokoban.STANDARD.length()
            && symbols.chars().distinct().count() == symbols.length(),
        "environment.symbols",
        "'" + symbols + "'",
        "seven different characters");
    InvalidInputException.require(maxSteps > 0, "environment.maxSteps", maxSteps, "at least 1");
  }

  /** Makes {@code sokoban} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return Sokoban.NAME;
    }

    @Override
    public Class<SokobanConfig> config() {
      return SokobanConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    return Games.open(new Sokoban(room, mode, symbols, maxSteps), loop, tasks, demonstrator);
  }
}
