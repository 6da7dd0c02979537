package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.env.webshop.dialogue.Rewording;

class JoinedValuesTest {

  private static final List<String> VALUES =
      List.of("Gray", "beige", "light gray", "navy_style", "small", "5");
  private static final Map<String, String> WANTED = Map.of("color", "Gray", "size", "5");
  private static final Map<String, List<String>> ALL =
      Map.of("color", List.of("Gray", "light gray", "beige"), "size", List.of("5", "6"));
  private static final String PAGE =
      "13 left. 1 color · gray · light gray · beige; size · 5 · 6. color: Gray, and size: 5";

  private final JoinedValues joined = new JoinedValues(VALUES, List.of("left chosen"));

  @Test
  void aWantedValueIsJoinedToOthersAloneOrWithAllOfItsList() {
    Set<String> pages = new HashSet<>();
    int alike = 0;
    for (int seed = 0; seed < 60; seed++) {
      Rewording drawn = joined.draw(WANTED, ALL, new SplittableRandom(seed));
      String page = drawn.substituted(PAGE);
      pages.add(page);
      String wanted = page.replaceFirst(".* color: ", "").replaceFirst(", and size: 5$", "");
      String[] listed =
          page.replaceFirst("^.*? · ", "").replaceFirst("; size · .*", "").split(" · ");
      // What the instruction wants is on the page, letter by letter, and longer than it was.
      assertThat(listed).hasSize(3).contains(wanted).doesNotHaveDuplicates();
      assertThat(wanted).contains("gray").hasSizeGreaterThan("gray".length());
      assertThat(page).contains("size · 5 · 6.");
      assertThat(drawn.restored("choose " + wanted)).isEqualTo("choose gray");
      alike += listed[2].equals("beige") ? 0 : 1;
    }
    assertThat(pages).hasSizeGreaterThan(30);
    assertThat(alike).isBetween(15, 45);
  }

  @Test
  void noValueBecomesOneThatTheCatalogueHas() {
    JoinedValues one = new JoinedValues(List.of("gray", "gray-gray", "gray gray"), List.of());
    Map<String, List<String>> all = Map.of("color", List.of("gray"));
    for (int seed = 0; seed < 60; seed++) {
      String other =
          one.draw(Map.of("color", "gray"), all, new SplittableRandom(seed)).substituted("gray");
      assertThat(other).isNotIn("gray-gray", "gray gray");
    }
  }

  @Test
  void aNumberAloneStaysBecauseItStandsElsewhereToo() {
    assertThat(joined.draw(Map.of("size", "5"), ALL, new SplittableRandom(1)))
        .isSameAs(Rewording.NONE);
  }

  @Test
  void aLetterThatIsTheSameByCaseAloneDoesNoHarm() {
    Rewording wine = new Phrases(Map.of("wine red", "wine red-1"));
    assertThat(wine.substituted("WİNE wıne red, wine red")).endsWith(", wine red-1");
  }
}
