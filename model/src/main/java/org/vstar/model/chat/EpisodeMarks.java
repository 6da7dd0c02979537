package org.vstar.model.chat;

import java.util.List;
import java.util.Set;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * The chat template of policies that Vstar makes itself: {@code <|obs|>observation<|agent|>answer
 * <|end|>}, turn after turn.
 */
public record EpisodeMarks() implements ChatTemplate {

  private static final long serialVersionUID = 1L;

  /** Stands before an observation. */
  private static final String OBSERVATION = "<|obs|>";

  /** Stands before an answer. */
  private static final String AGENT = "<|agent|>";

  /** Ends an answer. */
  private static final String END = "<|end|>";

  @Override
  public String name() {
    return "episode-marks/1";
  }

  @Override
  public List<String> marks() {
    return List.of(OBSERVATION, AGENT, END);
  }

  @Override
  public int[] observation(Tokenizer tokenizer, String text, boolean first) {
    return tokenizer.encode(OBSERVATION + text + AGENT);
  }

  @Override
  public int[] answer(Tokenizer tokenizer, String text) {
    return tokenizer.encode(text + END);
  }

  @Override
  public Set<Integer> stopTokens(Tokenizer tokenizer) {
    return Set.of(tokenizer.id(END));
  }
}
