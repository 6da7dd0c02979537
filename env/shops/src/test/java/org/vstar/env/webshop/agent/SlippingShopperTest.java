package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;

class SlippingShopperTest {

  private static final ShopLexicon LEXICON =
      new ShopLexicon(Set.of("slim fit"), Set.of("color", "size"));
  private static final String FRAME = "Instruction: [SEP] ";
  private static final String INSTRUCTION =
      "Find me slim fit shirts with color: light blue, and size: 5, and price lower than 40.00"
          + " dollars";
  private static final String INDEX = "WebShop [SEP] " + FRAME + INSTRUCTION + " [SEP] Search";
  private static final String RESULTS =
      FRAME
          + INSTRUCTION
          + " [SEP] Back to Search [SEP] Page 1 (Total results: 1) [SEP] Next >"
          + " [SEP] B000000001 [SEP] Shirt [SEP] $30.0";

  private static String product(String values) {
    return FRAME
        + INSTRUCTION
        + " [SEP] Back to Search [SEP] < Prev [SEP] "
        + values
        + " [SEP] Shirt [SEP] Price: $30.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features"
        + " [SEP] Reviews [SEP] Buy Now";
  }

  private static Set<Answer> slips(List<Turn> history, String page) {
    return slips(history, page, new Answer("", "no slip"));
  }

  private static Set<Answer> slips(List<Turn> history, String page, Answer right) {
    Set<Answer> slips = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
    for (int seed = 0; seed < 300; seed++) {
      SlippingShopper always =
          new SlippingShopper((h, p, r) -> right, () -> LEXICON, AnswerFormat.ANSWER, 1, 15);
      slips.add(always.answer(history, page, new SplittableRandom(seed)));
    }
    return slips;
  }

  private static Turn turn(String page, String action) {
    return new Turn(page, new Answer("", action), new Outcome(0, false, false, true, "seen"));
  }

  private static final List<Turn> OPENED =
      List.of(turn(INDEX, "search[shirts]"), turn(RESULTS, "click[B000000001]"));

  @Test
  void aSearchIsCutOffInTheMidstOfWordsThatRepeatThemselves() {
    List<String> cut =
        slips(List.of(), INDEX).stream()
            .map(a -> AnswerFormat.ANSWER.write(a, true))
            .filter(text -> !text.endsWith("</answer>"))
            .toList();
    assertThat(cut)
        .hasSizeGreaterThan(50)
        .allMatch(text -> text.startsWith("<think></think><answer>search slim"))
        .allMatch(text -> AnswerFormat.ANSWER.read(text, true).action().endsWith(text))
        .allMatch(text -> text.split(" ").length >= 40);
    String circle = cut.get(0);
    String end = circle.substring(circle.length() - 20);
    assertThat(circle.indexOf(end)).isLessThan(circle.length() - 20);
  }

  @Test
  void aThoughtIsCutOffInTheMidstOfWordsThatRepeatThemselves() {
    Answer right = new Answer("color no, size yes; size · 5 yes", "click[< prev]");
    List<String> cut =
        slips(OPENED, product("color [SEP] blue [SEP] size [SEP] 5"), right).stream()
            .map(a -> AnswerFormat.ANSWER.write(a, true))
            .filter(text -> !text.endsWith("</answer>"))
            .toList();
    assertThat(cut)
        .hasSizeGreaterThan(20)
        .allMatch(text -> text.startsWith("<think>color"))
        .noneMatch(text -> text.contains("</think>"))
        .allMatch(text -> AnswerFormat.ANSWER.read(text, true).action().endsWith(text))
        .allMatch(text -> text.split(" ").length >= 40);
    assertThat(slips(OPENED, product("size [SEP] 5"), new Answer("", "click[5]")))
        .allMatch(a -> AnswerFormat.ANSWER.write(a, true).endsWith("</answer>"));
  }

  @Test
  void whatAProductLacksIsTakenForThere() {
    assertThat(slips(OPENED, product("color [SEP] blue [SEP] size [SEP] 5")))
        .contains(
            new Answer("color · light blue yes; size · 5 yes", "click[light blue]"),
            new Answer("", "click[no slim]"))
        .noneMatch(a -> a.action().equals("click[5]"));
  }

  @Test
  void halfAValueIsWrittenOfOneThatIsThere() {
    assertThat(slips(OPENED, product("color [SEP] light blue [SEP] size [SEP] 5")))
        .extracting(Answer::action)
        .contains("click[light]", "click[5 no]")
        .doesNotContain("click[light blue]", "click[5]");
  }
}
