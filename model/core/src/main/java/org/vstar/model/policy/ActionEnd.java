package org.vstar.model.policy;

import java.util.Arrays;
import org.vstar.env.AnswerFormat;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * Where an action is closed, so that an answer can stop there. A policy that goes on behind its
 * action has no answer of the right form, though it has said what it wants. As a stop string of
 * other samplers, but nothing except white space may share the last token with it.
 */
public final class ActionEnd {

  private final Tokenizer tokenizer;
  private final String close;

  /** For answers of a format, in the tokens of a tokenizer. */
  public ActionEnd(Tokenizer tokenizer, AnswerFormat format) {
    this.tokenizer = tokenizer;
    this.close = format.close();
  }

  /**
   * Whether the last token closes an action. Published tokenizers write a tag in several tokens,
   * and its last one may hold white space too.
   *
   * @param tokens holds the answer so far
   * @param from where the answer begins
   * @param to where it ends, exclusive
   */
  public boolean isAt(int[] tokens, int from, int to) {
    int tail = Math.max(from, to - close.length());
    return tokenizer.decode(Arrays.copyOfRange(tokens, tail, to)).stripTrailing().endsWith(close);
  }
}
