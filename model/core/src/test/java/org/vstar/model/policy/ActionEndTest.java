package org.vstar.model.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.env.AnswerFormat;
import org.vstar.model.tokenizer.BytePairVocabulary;
import org.vstar.model.tokenizer.Tokenizer;

class ActionEndTest {

  private static final String ANSWER = "<think>a coat</think><answer>open 3</answer>";

  private static Tokenizer tokenizer(AnswerFormat withTokensForTheTagsOf) {
    return new Tokenizer(
        BytePairVocabulary.build(List.of("open"), 300, withTokensForTheTagsOf, List.of()));
  }

  /** What has been said wherever an action is closed in a text that comes behind another. */
  private static List<String> ends(Tokenizer tokenizer, String before, String text) {
    int from = tokenizer.encode(before).length;
    int[] tokens = tokenizer.encode(before + text);
    ActionEnd end = new ActionEnd(tokenizer, AnswerFormat.ANSWER);
    return IntStream.rangeClosed(from + 1, tokens.length)
        .filter(to -> end.isAt(tokens, from, to))
        .mapToObj(to -> tokenizer.decode(Arrays.copyOfRange(tokens, from, to)).strip())
        .toList();
  }

  @Test
  void anAnswerIsOverAtTheTagThatClosesItsActionBeItOneTokenOrSeveral() {
    for (AnswerFormat format : AnswerFormat.values()) {
      Tokenizer tokenizer = tokenizer(format);
      assertThat(tokenizer.has("</answer>")).isEqualTo(format.close().equals("</answer>"));
      String whole = tokenizer.decode(tokenizer.encode(ANSWER)).strip();
      assertThat(ends(tokenizer, "", ANSWER)).containsExactly(whole);
      assertThat(ends(tokenizer, "", ANSWER + "<think>")).containsExactly(whole);
    }
  }

  @Test
  void whatAnEarlierAnswerClosedDoesNotCount() {
    Tokenizer tokenizer = tokenizer(AnswerFormat.ACTION);
    assertThat(ends(tokenizer, ANSWER, " b")).isEmpty();
    assertThat(ends(tokenizer, "</answer", ">")).isEmpty();
  }
}
