package org.vstar.model.rollout;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Turn;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.engine.Sequence;
import org.vstar.model.tokenizer.Tokenizer;

/** A scripted agent's episodes as a policy would have read and written them. */
public final class Demonstrations {

  private Demonstrations() {}

  /**
   * The tokens of an episode; what the agent wrote, end marks included, is to be imitated.
   *
   * @param context turns from the first that would pass this many tokens are left out
   */
  public static Sequence sequence(
      List<Turn> turns,
      ChatTemplate chat,
      Tokenizer tokenizer,
      AnswerFormat format,
      boolean think,
      int context) {
    IntStream.Builder tokens = IntStream.builder();
    BitSet agent = new BitSet();
    int length = 0;
    for (Turn turn : turns) {
      int[] observation = chat.observation(tokenizer, turn.observation(), length == 0);
      int[] answer = chat.answer(tokenizer, format.write(turn.answer(), think));
      if (length + observation.length + answer.length > context) {
        break;
      }
      for (int token : observation) {
        tokens.add(token);
        length++;
      }
      for (int token : answer) {
        tokens.add(token);
        agent.set(length++);
      }
    }
    return new Sequence(tokens.build().toArray(), agent, List.of());
  }
}
