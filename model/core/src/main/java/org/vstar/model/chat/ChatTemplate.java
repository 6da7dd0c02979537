package org.vstar.model.chat;

import java.io.Serializable;
import java.util.List;
import java.util.Set;
import org.vstar.common.Experimental;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * How an episode is written as tokens. A trajectory is append-only: what a turn adds does not
 * depend on what follows it.
 */
@Experimental
public interface ChatTemplate extends Serializable {

  /** What fingerprints know it by. */
  String name();

  /** Tokens that structure an episode: the tokenizer must have each, and text cannot mean one. */
  List<String> marks();

  /**
   * The tokens that show an observation and hand over to the agent.
   *
   * @param first whether this is the episode's first observation
   */
  int[] observation(Tokenizer tokenizer, String text, boolean first);

  /**
   * What closes an answer that was cut short, before the next observation. The agent did not write
   * it, so it is not trained on.
   */
  int[] endOfCutAnswer(Tokenizer tokenizer);

  /** The tokens of an answer that an agent gave, its end included. */
  int[] answer(Tokenizer tokenizer, String text);

  /**
   * The {@code tokenizer_config.json} that goes with a policy's tokenizer, so that {@code
   * transformers} writes a chat as this does.
   *
   * @param context the model's
   */
  String tokenizerConfig(Tokenizer tokenizer, int context);

  /** Tokens that end an answer. */
  Set<Integer> stopTokens(Tokenizer tokenizer);
}
