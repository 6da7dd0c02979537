package org.vstar.model.chat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import org.vstar.common.Json;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.Tokenizer.Span;
import org.vstar.model.tokenizer.WordVocabulary;

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

  /** The same for {@code transformers}: whatever is not the agent's is an observation. */
  private static final String JINJA =
      "{% for message in messages %}{% if message['role'] == 'assistant' %}{{ message['content'] }}"
          + END
          + "{% else %}"
          + OBSERVATION
          + "{{ message['content'] }}"
          + AGENT
          + "{% endif %}{% endfor %}";

  @Override
  public String name() {
    return "episode-marks/2";
  }

  @Override
  public List<String> marks() {
    return List.of(OBSERVATION, AGENT, END);
  }

  @Override
  public int[] observation(Tokenizer tokenizer, String text, boolean first) {
    return tokenizer.encode(
        List.of(new Span(OBSERVATION, true), new Span(text, false), new Span(AGENT, true)));
  }

  /** The end mark: behind every answer that a policy learned from there is one. */
  @Override
  public int[] endOfCutAnswer(Tokenizer tokenizer) {
    return new int[] {tokenizer.id(END)};
  }

  @Override
  public int[] answer(Tokenizer tokenizer, String text) {
    return tokenizer.encode(text + END);
  }

  @Override
  public String tokenizerConfig(Tokenizer tokenizer, int context) {
    ObjectNode config = Json.MAPPER.createObjectNode();
    config.put("tokenizer_class", "PreTrainedTokenizerFast");
    config.put("model_max_length", context);
    config.put("clean_up_tokenization_spaces", false);
    config.put("unk_token", tokenizer.has(WordVocabulary.UNKNOWN) ? WordVocabulary.UNKNOWN : null);
    config.put("eos_token", END);
    config.put("chat_template", JINJA);
    return config.toPrettyString();
  }

  @Override
  public Set<Integer> stopTokens(Tokenizer tokenizer) {
    return Set.of(tokenizer.id(END));
  }
}
