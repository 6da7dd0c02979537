package org.vstar.env.sokoban;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ragen.Board;
import org.vstar.env.ragen.Budget;
import org.vstar.env.ragen.Game;
import org.vstar.env.ragen.GridMode;
import org.vstar.env.ragen.LoopConfig;
import org.vstar.env.ragen.SystemMessage;
import org.vstar.env.ragen.World;

/**
 * A room where boxes are pushed onto targets. It has no chance of its own. A seed that no room
 * comes of is refused: RAGEN goes on with another then, which hangs on the process.
 */
record Sokoban(RoomConfig room, GridMode mode, String symbols, int mostSteps) implements World {

  static final String NAME = "sokoban";

  /** Symbols of wall, floor, target, box on target, box, player, player on target. */
  static final String STANDARD = "#_O\u221aXPS";

  private static final List<String> MEANINGS =
      List.of("wall", "empty", "target", "box on target", "box", "player", "player on target");
  private static final String OF_GRID =
      "You are solving the Sokoban puzzle. \nYou are the player and you need to push all boxes to"
          + " targets. \nWhen you are right next to a box, you can push it by moving in the same"
          + " direction. \nYou cannot push a box through a wall, and you cannot pull a box. \nThe"
          + " answer should be a sequence of actions, like <answer>Right || Right || Up</answer>\n";
  private static final String OF_COORDINATES =
      "You are solving the Sokoban puzzle. You are the player and you need to push all boxes to"
          + " targets.\nYou are provided with a symbol grid and the zero-indexed coordinates of the"
          + " player, each box, and each target. \nCoordinates range from the top-left corner (0, 0)"
          + " to the bottom-right corner (%d, %d). \nWhen you are exactly next to a box, you can push"
          + " it by moving in the same direction. \nYou cannot push a box through a wall, and you"
          + " cannot pull a box.\nThe answer should be a sequence of actions, like <answer>Right ||"
          + " Right || Up</answer>.\n";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CanonicalJson canonical() {
    return CanonicalJson.of(NAME, 1)
        .with("room", room.canonical())
        .with("mode", mode.word())
        .with("symbols", symbols)
        .with("mostSteps", mostSteps);
  }

  @Override
  public Optional<Board> board(long seed) {
    return new RoomGenerator(room, seed).room().map(Sokoban::board);
  }

  private static Board board(Room room) {
    byte[] bare = room.state().clone();
    bare[room.player()] = room.fixed()[room.player()];
    String alike = Board.firstImage(List.of(room.text(bare, STANDARD).split("\n")));
    byte[] exact = new byte[bare.length];
    for (int cell = 0; cell < exact.length; cell++) {
      exact[cell] = room.shown(cell);
    }
    int shortest = Solver.solution(room).map(List::size).orElse(0);
    return Board.of(room.text(exact, STANDARD), alike, shortest);
  }

  @Override
  public boolean deterministic() {
    return true;
  }

  @Override
  public Game game(long seed, long worldSeed) {
    RoomGenerator generator = new RoomGenerator(room, seed);
    Room begun =
        generator
            .room()
            .orElseThrow(
                () ->
                    new InvalidInputException(
                        "no room comes of seed " + seed + " (" + generator.refusal() + ")"));
    return new Push(begun, mode, symbols, mostSteps);
  }

  @Override
  public List<String> actionNames() {
    return Push.ACTIONS;
  }

  @Override
  public String system(LoopConfig loop) {
    String instruction =
        mode == GridMode.GRID
            ? OF_GRID
            : String.format(Locale.ROOT, OF_COORDINATES, room.rows() - 1, room.columns() - 1);
    StringBuilder legend = new StringBuilder();
    for (int code = 0; code < MEANINGS.size(); code++) {
      legend.append(code == 0 ? "" : ", ");
      legend.append(symbols.charAt(code)).append(": ").append(MEANINGS.get(code));
    }
    return SystemMessage.of(instruction, legend.toString(), Push.ACTIONS, loop.actions());
  }

  /** The first actions of a shortest solution; where there is none any more, one that moves. */
  @Override
  public List<String> plan(Game game, Budget left) {
    Room now = ((Push) game).room();
    return Solver.solution(now)
        .map(ways -> ways.stream().limit(left.ofTurn()).map(Push.ACTIONS::get).toList())
        .orElseGet(() -> List.of(firstMove(now)));
  }

  private static String firstMove(Room now) {
    int player = now.player();
    for (int way = 0; way < Push.ACTIONS.size(); way++) {
      if (now.isFree(player + now.steps()[way])) {
        return Push.ACTIONS.get(way);
      }
    }
    return Push.ACTIONS.get(0);
  }

  /** Towards the nearest box that is not on a target, and against it; walls are not thought of. */
  @Override
  public String greedy(Game game) {
    Room now = ((Push) game).room();
    int player = now.player();
    int columns = now.columns();
    int nearest = player;
    int least = Integer.MAX_VALUE;
    for (int cell = 0; cell < now.state().length; cell++) {
      if (now.state()[cell] == Room.BOX && now.distance(player, cell) < least) {
        least = now.distance(player, cell);
        nearest = cell;
      }
    }
    int down = nearest / columns - player / columns;
    if (down != 0) {
      return down < 0 ? "Up" : "Down";
    }
    return nearest % columns < player % columns ? "Left" : "Right";
  }

  @Override
  public String random(Game game, SplittableRandom random) {
    return Push.ACTIONS.get(random.nextInt(Push.ACTIONS.size()));
  }

  @Override
  public boolean hasSeedsOfRagen() {
    return true;
  }
}
