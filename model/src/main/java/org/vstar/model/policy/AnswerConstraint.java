package org.vstar.model.policy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.env.ActionGrammar;
import org.vstar.env.ActionGrammar.Form;
import org.vstar.env.ActionGrammar.OneOf;
import org.vstar.env.ActionGrammar.Words;
import org.vstar.env.AnswerFormat;
import org.vstar.env.InputError;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * Which tokens can come next in an answer that has the right form and a legal action. A tree over
 * tokens, built once; a {@link Cursor} walks it.
 */
public final class AnswerConstraint {

  /** Marks around a thought and an action, and the end. */
  private static final int MARKS = 5;

  /** A place in the tree. */
  private static final class Node {
    final BitSet allowed = new BitSet();
    final Map<Integer, Node> next = new HashMap<>();

    Node child(int token) {
      allowed.set(token);
      return next.computeIfAbsent(token, t -> new Node());
    }

    void leadsTo(int token, Node node) {
      allowed.set(token);
      next.put(token, node);
    }

    Node path(int[] tokens) {
      Node at = this;
      for (int token : tokens) {
        at = at.child(token);
      }
      return at;
    }
  }

  private final Node start = new Node();
  private final Node thought = new Node();
  private final BitSet closeThought = new BitSet();
  private final int longestThought;

  public AnswerConstraint(
      ActionGrammar grammar, AnswerFormat format, Tokenizer tokenizer, Sampling sampling) {
    Node action = new Node();
    Node closed = new Node();
    closed.leadsTo(tokenizer.id(Tokenizer.END), new Node());
    int close = tokenizer.id(format.close());
    int longest = 0;
    for (Form form : grammar.forms()) {
      int[] encodedVerb = tokenizer.encode(form.verb());
      Node verb = action.path(encodedVerb);
      if (form.argument() instanceof OneOf one) {
        for (String value : one.values()) {
          int[] tokens = tokenizer.encode(value);
          verb.path(tokens).leadsTo(close, closed);
          longest = Math.max(longest, encodedVerb.length + tokens.length);
        }
      } else if (form.argument() instanceof Words words) {
        words(verb, words, tokenizer, close, closed);
        longest = Math.max(longest, encodedVerb.length + words.most());
      } else {
        verb.leadsTo(close, closed);
        longest = Math.max(longest, encodedVerb.length);
      }
    }
    int needed = longest + (sampling.think() ? MARKS : MARKS - 2);
    InputError.require(
        sampling.maxTokensPerTurn() >= needed,
        "sampling.maxTokensPerTurn",
        sampling.maxTokensPerTurn(),
        "at least " + needed + ", the longest legal answer, with sampling.constrain");
    longestThought = sampling.maxTokensPerTurn() - needed;
    Node answer = start;
    if (sampling.think()) {
      answer = new Node();
      start.leadsTo(tokenizer.id("<think>"), thought);
      for (int token = 0; token < tokenizer.size(); token++) {
        thought.leadsTo(token, thought);
      }
      for (String mark :
          List.of(
              Tokenizer.OBSERVATION,
              Tokenizer.AGENT,
              Tokenizer.END,
              "<think>",
              format.open(),
              format.close())) {
        thought.allowed.clear(tokenizer.id(mark));
      }
      int closeThoughtToken = tokenizer.id("</think>");
      thought.leadsTo(closeThoughtToken, answer);
      closeThought.set(closeThoughtToken);
    }
    answer.leadsTo(tokenizer.id(format.open()), action);
  }

  private static void words(Node verb, Words words, Tokenizer tokenizer, int close, Node closed) {
    List<Integer> pieces = new ArrayList<>();
    for (String word : words.vocabulary()) {
      for (int token : tokenizer.encode(word)) {
        pieces.add(token);
      }
    }
    Node at = verb;
    for (int i = 0; i < words.most(); i++) {
      Node after = new Node();
      for (int piece : pieces) {
        at.leadsTo(piece, after);
      }
      after.leadsTo(close, closed);
      at = after;
    }
  }

  /** One answer on its way. */
  public final class Cursor {
    private Node at = start;
    private int thoughtTokens;

    /** What can come next; must not be changed. */
    public BitSet allowed() {
      return at == thought && thoughtTokens >= longestThought ? closeThought : at.allowed;
    }

    /** Takes one of the allowed tokens. */
    public void take(int token) {
      thoughtTokens += at == thought ? 1 : 0;
      at = at.next.get(token);
    }
  }

  public Cursor cursor() {
    return new Cursor();
  }
}
