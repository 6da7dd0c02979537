package org.vstar.model.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ActionGrammar;
import org.vstar.env.ActionGrammar.Form;
import org.vstar.env.ActionGrammar.Nothing;
import org.vstar.env.ActionGrammar.OneOf;
import org.vstar.env.ActionGrammar.Words;
import org.vstar.env.AnswerFormat;
import org.vstar.model.SmallShop;
import org.vstar.model.tokenizer.Tokenizer;

class AnswerConstraintTest {

  private static final ActionGrammar GRAMMAR =
      new ActionGrammar(
          List.of(
              new Form("search", new Words(List.of("classic", "blanket"), 2)),
              new Form("buy", new OneOf(List.of("1", "2"))),
              new Form("click", new Nothing())));

  private final Policy policy = SmallShop.policy(SmallShop.environment(), 1);
  private final Tokenizer tokenizer = policy.tokenizer();

  private AnswerConstraint constraint(int tokens, boolean think) {
    SamplingConfig sampling = new SamplingConfig(1, 1, tokens, think, true);
    return new AnswerConstraint(GRAMMAR, AnswerFormat.ANSWER, policy, sampling);
  }

  private BitSet ids(String... tokens) {
    BitSet ids = new BitSet();
    for (String token : tokens) {
      ids.set(tokenizer.id(token));
    }
    return ids;
  }

  private BitSet after(AnswerConstraint.Cursor cursor, String... tokens) {
    for (String token : tokens) {
      assertThat(cursor.allowed().get(tokenizer.id(token))).as(token).isTrue();
      cursor.take(tokenizer.id(token));
    }
    return cursor.allowed();
  }

  @Test
  void onlyVerbsOfTheGrammarWithTheirArgumentsAreAllowed() {
    AnswerConstraint constraint = constraint(12, false);
    assertThat(constraint.cursor().allowed()).isEqualTo(ids("<answer>"));
    assertThat(after(constraint.cursor(), "<answer>")).isEqualTo(ids("search", "buy", "click"));
    assertThat(after(constraint.cursor(), "<answer>", "buy")).isEqualTo(ids("1", "2"));
    assertThat(after(constraint.cursor(), "<answer>", "click")).isEqualTo(ids("</answer>"));
    assertThat(after(constraint.cursor(), "<answer>", "search"))
        .isEqualTo(ids("classic", "blanket"));
    assertThat(after(constraint.cursor(), "<answer>", "search", "blanket"))
        .isEqualTo(ids("classic", "blanket", "</answer>"));
    assertThat(after(constraint.cursor(), "<answer>", "search", "blanket", "classic"))
        .isEqualTo(ids("</answer>"));
    assertThat(after(constraint.cursor(), "<answer>", "click", "</answer>"))
        .isEqualTo(ids("<|end|>"));
  }

  @Test
  void aThoughtHasNoMarksAndLeavesRoomForTheLongestAction() {
    // 5 marks and 3 tokens of the longest action leave 2 for the thought.
    AnswerConstraint.Cursor cursor = constraint(10, true).cursor();
    BitSet thought = after(cursor, "<think>");
    for (String mark : List.of("<|obs|>", "<|agent|>", "<|end|>", "<think>", "<answer>")) {
      assertThat(thought.get(tokenizer.id(mark))).as(mark).isFalse();
    }
    assertThat(after(cursor, "classic").get(tokenizer.id("blanket"))).isTrue();
    assertThat(after(cursor, "classic")).isEqualTo(ids("</think>"));
    assertThat(after(cursor, "</think>")).isEqualTo(ids("<answer>"));
  }

  @Test
  void aTurnTooShortAndAnEnvironmentWithoutActionsAreRefused() {
    assertThatThrownBy(() -> constraint(7, true))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'sampling.maxTokensPerTurn' is 7, expected at least 8");
    SamplingConfig sampling = new SamplingConfig(1, 1, 20, true, true);
    assertThatThrownBy(
            () ->
                new AnswerConstraint(
                    new ActionGrammar(List.of()), AnswerFormat.ANSWER, policy, sampling))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("names no actions");
  }
}
