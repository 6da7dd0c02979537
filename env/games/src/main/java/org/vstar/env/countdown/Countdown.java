package org.vstar.env.countdown;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;
import org.vstar.env.ragen.Board;
import org.vstar.env.ragen.Budget;
import org.vstar.env.ragen.Game;
import org.vstar.env.ragen.LoopConfig;
import org.vstar.env.ragen.SystemMessage;
import org.vstar.env.ragen.World;

/** An equation of given numbers that equals a target. */
record Countdown() implements World {

  static final String NAME = "countdown";

  private static final String INSTRUCTION =
      "You are solving the Countdown puzzle. You should use the num list to create an equation that"
          + " equals the target. Example answer format: <think> To find an equation using [3, 5, 2]"
          + " to get 4. Let's check 2 + 5 = 7, 7 - 3 = 4. So the answer is 2 + 5 - 3 = 4."
          + " </think><answer>2 + 5 - 3</answer>";

  /** One answer. */
  static final class Attempt implements Game {
    private final Puzzle puzzle;
    private String state;

    Attempt(Puzzle puzzle) {
      this.puzzle = puzzle;
      this.state = puzzle.text();
    }

    @Override
    public String state() {
      return state;
    }

    @Override
    public List<String> actions() {
      return List.of();
    }

    @Override
    public Move play(String action) {
      Verdict verdict = puzzle.judge(action);
      boolean whole = verdict.reward() == Math.rint(verdict.reward());
      state =
          "Your answer get "
              + (whole ? Long.toString((long) verdict.reward()) : Double.toString(verdict.reward()))
              + " points.";
      return new Move(verdict.reward(), whole, true, verdict == Verdict.RIGHT);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CanonicalJson canonical() {
    return CanonicalJson.of(NAME, 1);
  }

  @Override
  public Optional<Board> board(long seed) {
    Puzzle puzzle = Puzzle.of(seed);
    return Optional.of(Board.of(puzzle.text(), puzzle.alike(), puzzle.numbers().size()));
  }

  @Override
  public String category(Board board) {
    return board.shortest() + " numbers";
  }

  @Override
  public boolean deterministic() {
    return true;
  }

  @Override
  public Game game(long seed, long worldSeed) {
    return new Attempt(Puzzle.of(seed));
  }

  @Override
  public List<String> actionNames() {
    return List.of();
  }

  @Override
  public String system(LoopConfig loop) {
    return SystemMessage.of(INSTRUCTION);
  }

  @Override
  public List<String> plan(Game game, Budget left) {
    Puzzle puzzle = ((Attempt) game).puzzle;
    return puzzle.sums().stream()
        .filter(sum -> puzzle.judge(sum) == Verdict.RIGHT)
        .limit(1)
        .toList();
  }

  /** All numbers added up. */
  @Override
  public String greedy(Game game) {
    return ((Attempt) game).puzzle.sums().get(0);
  }

  @Override
  public String random(Game game, SplittableRandom random) {
    List<String> sums = ((Attempt) game).puzzle.sums();
    return sums.get(random.nextInt(sums.size()));
  }
}
