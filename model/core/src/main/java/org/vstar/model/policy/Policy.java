package org.vstar.model.policy;

import java.util.Locale;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.Engine;
import org.vstar.model.tokenizer.Tokenizer;

/** A model, its tokenizer and its chat template. */
public final class Policy {

  private final Engine engine;
  private final Tokenizer tokenizer;
  private final ChatTemplate chat;

  /**
   * Puts a policy together.
   *
   * @throws InvalidInputException if the tokenizer lacks a mark of the chat template, or has ids
   *     that the model does not know
   */
  public Policy(Engine engine, Tokenizer tokenizer, ChatTemplate chat) {
    for (String mark : chat.marks()) {
      if (!tokenizer.has(mark)) {
        throw new InvalidInputException("the tokenizer has no token '" + mark + "'");
      }
    }
    if (tokenizer.size() > engine.vocabulary()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "the tokenizer has ids up to %d, the model knows those below %d",
              tokenizer.size() - 1,
              engine.vocabulary()));
    }
    this.engine = engine;
    this.tokenizer = tokenizer;
    this.chat = chat;
  }

  /** The model. */
  public Engine engine() {
    return engine;
  }

  /** Text to tokens and back. */
  public Tokenizer tokenizer() {
    return tokenizer;
  }

  /** How episodes are written as tokens. */
  public ChatTemplate chat() {
    return chat;
  }

  /** The same policy with a copy of the parameters: what is trained while this one stays frozen. */
  public Policy copy() {
    return new Policy(engine.copy(), tokenizer, chat);
  }

  /** The same policy with an adapter, which is trained while this one stays frozen below it. */
  public Policy adapted(Adapter adapter) {
    return new Policy(engine.adapted(adapter), tokenizer, chat);
  }

  /** Content hash of the model, the tokenizer and the chat template. */
  public String fingerprint() {
    CanonicalJson canonical =
        CanonicalJson.of("policy", 1)
            .with("weights", engine.fingerprint())
            .with("tokenizer", new ContentHash().add(tokenizer.json()).hex())
            .with("chat", chat.name());
    if (chat instanceof HuggingFaceChat) {
      // Files beside the template name some of these; Vstar's own marks follow from their name.
      canonical.with("stopTokens", chat.stopTokens(tokenizer).stream().sorted().toList());
    }
    return canonical.fingerprint();
  }
}
