package org.vstar.model.policy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ActionGrammar;
import org.vstar.env.ActionGrammar.Form;
import org.vstar.env.ActionGrammar.OneOf;
import org.vstar.env.ActionGrammar.Words;
import org.vstar.env.AnswerFormat;
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

  /**
   * Builds the tree.
   *
   * @throws InvalidInputException if the longest legal answer is longer than a turn may be
   */
  public AnswerConstraint(
      ActionGrammar grammar, AnswerFormat format, Policy policy, SamplingConfig sampling) {
    InvalidInputException.require(
        !grammar.forms().isEmpty(),
        "sampling.constrain",
        true,
        "false: this environment names no actions to constrain answers to");
    Tokenizer tokenizer = policy.tokenizer();
    requireTags(format, tokenizer, sampling.think());
    Node action = new Node();
    int longest = actions(action, grammar, tokenizer, tokenizer.id(format.close()), closed(policy));
    int needed = longest + (sampling.think() ? MARKS : MARKS - 2);
    InvalidInputException.require(
        sampling.maxTokensPerTurn() >= needed,
        "sampling.maxTokensPerTurn",
        sampling.maxTokensPerTurn(),
        "at least " + needed + ", the longest legal answer, with sampling.constrain");
    longestThought = sampling.maxTokensPerTurn() - needed;
    Node answer = sampling.think() ? thought(format, policy) : start;
    answer.leadsTo(tokenizer.id(format.open()), action);
  }

  private static void requireTags(AnswerFormat format, Tokenizer tokenizer, boolean think) {
    List<String> tags = new ArrayList<>(List.of(format.open(), format.close()));
    if (think) {
      tags.addAll(List.of("<think>", "</think>"));
    }
    for (String tag : tags) {
      InvalidInputException.require(
          tokenizer.has(tag),
          "sampling.constrain",
          true,
          "false: the tokenizer has no token for '" + tag + "'");
    }
  }

  /** Behind an action: the answer ends. */
  private static Node closed(Policy policy) {
    Node closed = new Node();
    policy.chat().stopTokens(policy.tokenizer()).forEach(end -> closed.leadsTo(end, new Node()));
    return closed;
  }

  /** Hangs all actions into the tree; gives the number of tokens of the longest. */
  private static int actions(
      Node action, ActionGrammar grammar, Tokenizer tokenizer, int close, Node closed) {
    int longest = 0;
    for (Form form : grammar.forms()) {
      int[] encodedVerb = tokenizer.encodeText(form.verb());
      Node verb = action.path(encodedVerb);
      int argument = 0;
      if (form.argument() instanceof OneOf one) {
        for (String value : one.values()) {
          int[] tokens = tokenizer.encodeText(value);
          verb.path(tokens).leadsTo(close, closed);
          argument = Math.max(argument, tokens.length);
        }
      } else if (form.argument() instanceof Words words) {
        words(verb, words, tokenizer, close, closed);
        argument = words.maxWords();
      } else {
        verb.leadsTo(close, closed);
      }
      longest = Math.max(longest, encodedVerb.length + argument);
    }
    return longest;
  }

  /** Any tokens but marks, between the marks of a thought; gives what follows it. */
  private Node thought(AnswerFormat format, Policy policy) {
    Tokenizer tokenizer = policy.tokenizer();
    Node answer = new Node();
    start.leadsTo(tokenizer.id("<think>"), thought);
    for (int token = 0; token < tokenizer.size(); token++) {
      thought.leadsTo(token, thought);
    }
    List<String> marks = new ArrayList<>(policy.chat().marks());
    marks.addAll(List.of("<think>", format.open(), format.close()));
    marks.forEach(mark -> thought.allowed.clear(tokenizer.id(mark)));
    int closeThoughtToken = tokenizer.id("</think>");
    thought.leadsTo(closeThoughtToken, answer);
    closeThought.set(closeThoughtToken);
    return answer;
  }

  private static void words(Node verb, Words words, Tokenizer tokenizer, int close, Node closed) {
    List<Integer> pieces = new ArrayList<>();
    for (String word : words.vocabulary()) {
      for (int token : tokenizer.encodeText(word)) {
        pieces.add(token);
      }
    }
    Node at = verb;
    for (int i = 0; i < words.maxWords(); i++) {
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

    /** At the same place, to go on another way. */
    public Cursor copy() {
      Cursor copy = new Cursor();
      copy.at = at;
      copy.thoughtTokens = thoughtTokens;
      return copy;
    }

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
