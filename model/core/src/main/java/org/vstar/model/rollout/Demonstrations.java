package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Turn;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.tokenizer.Tokenizer;

/** A scripted agent's episodes as a policy would have read and written them. */
public final class Demonstrations {

  private Demonstrations() {}

  /**
   * The tokens of an episode; what the agent wrote, end marks included, is to be imitated, but for
   * its slips.
   *
   * @param sampling how a policy would see it: with or without thoughts, all turns or the last
   * @param context turns from the first that would pass this many tokens are left out
   * @return sequences as those of a {@link Trajectory}; none if nothing is to be imitated in the
   *     turns that fit
   */
  public static List<Sequence> sequences(
      List<Turn> turns,
      ChatTemplate chat,
      Tokenizer tokenizer,
      AnswerFormat format,
      SamplingConfig sampling,
      int context) {
    List<Sequence> sequences = new ArrayList<>();
    Transcript transcript = new Transcript(chat, tokenizer);
    int[] tokens = new int[0];
    BitSet agent = new BitSet();
    for (int t = 0; t < turns.size(); t++) {
      int[] observation = transcript.observe(turns.get(t).observation());
      if (!sampling.appends(t)) {
        addTo(sequences, tokens, agent);
        tokens = new int[0];
        agent = new BitSet();
        observation = transcript.lastTurns(sampling.lastTurns());
      }
      int[] answer = chat.answer(tokenizer, format.write(turns.get(t).answer(), sampling.think()));
      transcript.answer(answer);
      int read = tokens.length + observation.length;
      if (read + answer.length > context) {
        break;
      }
      tokens = Transcript.join(Transcript.join(tokens, observation), answer);
      if (!turns.get(t).slip()) {
        agent.set(read, tokens.length);
      }
    }
    addTo(sequences, tokens, agent);
    return sequences;
  }

  private static void addTo(List<Sequence> sequences, int[] tokens, BitSet agent) {
    if (!agent.isEmpty()) {
      sequences.add(new Sequence(tokens, agent, List.of()));
    }
  }
}
