package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.tokenizer.Tokenizer;

/** What was observed and answered in an episode, turn by turn. */
final class Transcript {

  private final ChatTemplate chat;
  private final Tokenizer tokenizer;
  private final List<String> observations = new ArrayList<>();
  private final List<int[]> answers = new ArrayList<>();

  Transcript(ChatTemplate chat, Tokenizer tokenizer) {
    this.chat = chat;
    this.tokenizer = tokenizer;
  }

  /** Takes an observation; gives its tokens behind those of all that came before. */
  int[] observe(String text) {
    observations.add(text);
    return chat.observation(tokenizer, text, observations.size() == 1);
  }

  /** Takes the tokens of an answer to the last observation, with what ends it. */
  void answer(int[] tokens) {
    answers.add(tokens);
  }

  /**
   * The tokens of the last turns behind the first observation, which states the task.
   *
   * @param count how many turns, the one of the last observation among them; fewer than there are
   */
  int[] lastTurns(int count) {
    int first = observations.size() - count;
    String opening = observations.get(0) + "\n" + observations.get(first);
    int[] window = chat.observation(tokenizer, opening, true);
    for (int turn = first + 1; turn < observations.size(); turn++) {
      window = join(window, answers.get(turn - 1));
      window = join(window, chat.observation(tokenizer, observations.get(turn), false));
    }
    return window;
  }

  static int[] join(int[] first, int[] second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
