package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.webshop.agent.Shopper.Visit;

class SlippingShopperTest {

  private static final ShopLexicon LEXICON =
      new ShopLexicon(Set.of("slim fit"), Set.of("color", "size"));
  private static final String INSTRUCTION =
      "Find me slim fit shirts with color: light blue, and size: 5, and price lower than 40.00"
          + " dollars";
  private static final ShopPage INDEX = ShopPages.index(INSTRUCTION);
  private static final ShopPage RESULTS =
      ShopPages.results(INSTRUCTION, new ShopPage.Result(1, "B000000001", "Shirt", 30.0));

  private static ShopPage product(String... choices) {
    return ShopPages.product(INSTRUCTION, choices);
  }

  private static Set<Answer> slips(List<Visit> history, ShopPage page) {
    return slips(history, page, new Answer("", "no slip"));
  }

  private static Set<Answer> slips(List<Visit> history, ShopPage page, Answer right) {
    Set<Answer> slips = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
    for (int seed = 0; seed < 300; seed++) {
      SlippingShopper always =
          new SlippingShopper((h, p, r) -> right, () -> LEXICON, AnswerFormat.ANSWER, 1, 15);
      slips.add(always.answer(history, page, new SplittableRandom(seed)));
    }
    return slips;
  }

  private static Visit visit(ShopPage page, String action) {
    return new Visit(page, new Answer("", action), true);
  }

  private static final List<Visit> OPENED =
      List.of(visit(INDEX, "search[shirts]"), visit(RESULTS, "click[B000000001]"));

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
        slips(OPENED, product("color", "blue", "size", "5"), right).stream()
            .map(a -> AnswerFormat.ANSWER.write(a, true))
            .filter(text -> !text.endsWith("</answer>"))
            .toList();
    assertThat(cut)
        .hasSizeGreaterThan(20)
        .allMatch(text -> text.startsWith("<think>color"))
        .noneMatch(text -> text.contains("</think>"))
        .allMatch(text -> AnswerFormat.ANSWER.read(text, true).action().endsWith(text))
        .allMatch(text -> text.split(" ").length >= 40);
    assertThat(slips(OPENED, product("size", "5"), new Answer("", "click[5]")))
        .allMatch(a -> AnswerFormat.ANSWER.write(a, true).endsWith("</answer>"));
  }

  @Test
  void whatAProductLacksIsTakenForThere() {
    assertThat(slips(OPENED, product("color", "blue", "size", "5")))
        .contains(
            new Answer("color · light blue yes; size · 5 yes", "click[light blue]"),
            new Answer("", "click[no slim]"))
        .noneMatch(a -> a.action().equals("click[5]"));
  }

  @Test
  void halfAValueIsWrittenOfOneThatIsThere() {
    assertThat(slips(OPENED, product("color", "light blue", "size", "5")))
        .extracting(Answer::action)
        .contains("click[light]", "click[5 no]")
        .doesNotContain("click[light blue]", "click[5]");
  }
}
