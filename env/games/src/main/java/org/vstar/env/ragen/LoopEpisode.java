package org.vstar.env.ragen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.python.PythonText;

/**
 * A game in RAGEN's loop. An answer names actions, separated by {@code ||}; the first few are
 * played. Reads actions of {@link AnswerFormat#RAGEN}.
 */
public final class LoopEpisode implements Episode {

  private static final Pattern SEPARATOR = Pattern.compile("||", Pattern.LITERAL);
  private static final String SEPARATED = " || ";

  private final Game game;
  private final LoopConfig loop;
  private final Messages messages;
  private int turn = 1;
  private int left;
  private String reward = "";
  private boolean lastValid = true;
  private boolean over;

  /** Begins one. */
  public LoopEpisode(Game game, LoopConfig loop) {
    this.game = game;
    this.loop = loop;
    this.messages = new Messages(loop);
    this.left = loop.actions();
  }

  /** The game behind it, for players that look there. */
  public Game game() {
    return game;
  }

  /** What is left of it. */
  Budget budget() {
    return new Budget(loop.turns() - turn + 1, left, loop.actionsPerTurn());
  }

  /** Actions as an answer lists them. */
  public static String list(List<String> actions) {
    return String.join(SEPARATED, actions);
  }

  @Override
  public String observation() {
    return messages.user(turn, reward, game.state(), lastValid, left);
  }

  @Override
  public String stateKey() {
    return game.state();
  }

  /** The actions that an answer lists, those beyond the limit of a turn left out. */
  List<String> listed(String action) {
    return AnswerFormat.isUnparsed(action)
        ? List.of()
        : Arrays.stream(SEPARATOR.split(action, -1))
            .map(PythonText::strip)
            .filter(piece -> !piece.isEmpty())
            .limit(loop.actionsPerTurn())
            .toList();
  }

  /** Those that are legal, by their names. */
  private List<String> legal(List<String> listed) {
    List<String> names = game.actions();
    if (names.isEmpty()) {
      return listed;
    }
    Map<String, String> byLower = new LinkedHashMap<>();
    names.forEach(name -> byLower.put(PythonText.lower(name), name));
    List<String> legal = new ArrayList<>();
    for (String each : listed) {
      String name = byLower.get(PythonText.lower(each));
      if (name != null) {
        legal.add(name);
      }
    }
    return legal;
  }

  /** What the actions of a turn came to. */
  private record Played(double reward, boolean whole, boolean done, boolean success) {
    Played then(Game.Move move) {
      return new Played(reward + move.reward(), whole && move.whole(), move.done(), move.success());
    }

    String text() {
      return whole ? Long.toString((long) reward) : PythonText.text(reward);
    }
  }

  @Override
  public Outcome step(String action) {
    if (over) {
      throw new IllegalStateException("the episode is over");
    }
    List<String> listed = listed(action);
    List<String> legal = legal(listed);
    Played played = new Played(0, true, false, false);
    for (int i = 0; i < legal.size() && left > 0 && !played.done; i++) {
      played = played.then(game.play(legal.get(i)));
      left--;
    }
    turn++;
    reward = played.text();
    lastValid = !legal.isEmpty();
    over = played.done || left == 0;
    boolean valid = lastValid && legal.size() == listed.size();
    Map<String, Double> parts = new LinkedHashMap<>();
    parts.put("game", played.reward);
    parts.put("format", valid ? 0 : loop.formatPenalty());
    return new Outcome(
        played.reward + parts.get("format"),
        over,
        played.done && played.success,
        valid,
        event(played, valid),
        false,
        parts);
  }

  private String event(Played played, boolean valid) {
    if (played.done) {
      return played.success ? "won" : "lost";
    }
    if (over) {
      return "actions used up";
    }
    return valid ? "played" : lastValid ? "unknown action" : "no action";
  }
}
