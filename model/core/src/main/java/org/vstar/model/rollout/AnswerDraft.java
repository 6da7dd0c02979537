package org.vstar.model.rollout;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;
import org.vstar.model.policy.ActionEnd;
import org.vstar.model.policy.AnswerConstraint;
import org.vstar.model.policy.NoRepeat;

/** An answer on its way: what it can go on with, and whether it is over. */
final class AnswerDraft {

  /**
   * What all answers of a policy obey.
   *
   * @param constraint to well-formed answers; null for any
   * @param noRepeat keeps answers from repeating themselves; null to let them
   * @param actionEnd ends an answer where its action is closed; null to leave that to the policy
   * @param stopTokens end an answer
   * @param maxTokens an answer is cut here
   */
  record Rules(
      AnswerConstraint constraint,
      NoRepeat noRepeat,
      ActionEnd actionEnd,
      Set<Integer> stopTokens,
      int maxTokens) {

    AnswerDraft draft() {
      return new AnswerDraft(
          this, constraint == null ? null : constraint.cursor(), new int[Math.min(32, maxTokens)]);
    }
  }

  private final Rules rules;
  private final AnswerConstraint.Cursor cursor;
  private int[] tokens;
  private int length;
  private BitSet allowed;

  private AnswerDraft(Rules rules, AnswerConstraint.Cursor cursor, int[] tokens) {
    this.rules = rules;
    this.cursor = cursor;
    this.tokens = tokens;
    allow();
  }

  /** The same answer, which can go on another way. */
  AnswerDraft copy() {
    AnswerDraft copy =
        new AnswerDraft(rules, cursor == null ? null : cursor.copy(), tokens.clone());
    copy.length = length;
    copy.allow();
    return copy;
  }

  private void allow() {
    BitSet legal = cursor == null ? null : cursor.allowed();
    allowed = rules.noRepeat == null ? legal : rules.noRepeat.allowed(tokens, 0, length, legal);
  }

  /** What can come next; null for the whole vocabulary. Must not be changed. */
  BitSet allowed() {
    return allowed;
  }

  /** Takes one of the allowed tokens. */
  void take(int token) {
    if (cursor != null) {
      cursor.take(token);
    }
    if (length == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * length);
    }
    tokens[length++] = token;
    if (!isOver()) {
      allow();
    }
  }

  /** What has been taken. */
  int[] tokens() {
    return Arrays.copyOf(tokens, length);
  }

  /** Whether the policy has ended it. */
  boolean isEnded() {
    return length > 0 && rules.stopTokens.contains(tokens[length - 1]);
  }

  /** Whether nothing can follow. */
  boolean isOver() {
    return isEnded()
        || length >= rules.maxTokens
        || rules.actionEnd != null && rules.actionEnd.isAt(tokens, 0, length);
  }
}
