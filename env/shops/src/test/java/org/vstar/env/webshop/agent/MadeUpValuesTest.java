package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.env.webshop.dialogue.Rewording;

class MadeUpValuesTest {

  private static final List<String> VALUES = List.of("Gray", "beige", "light gray", "navy", "5");
  private static final Map<String, String> WANTED = Map.of("color", "Gray", "size", "5");
  private static final Map<String, List<String>> ALL =
      Map.of("color", List.of("Gray", "light gray", "beige"), "size", List.of("5", "6"));
  private static final String PAGE =
      "13 left. 1 color · gray · light gray · beige; size · 5 · 6. color: Gray, and size: 5";

  private final MadeUpValues madeUp = new MadeUpValues(VALUES, List.of("left chosen"));

  @Test
  void allValuesOfAListBecomeOthersThatNoCatalogueHasAndAreFoundAgain() {
    Set<String> seen = new HashSet<>();
    int codes = 0;
    for (int seed = 0; seed < 200; seed++) {
      Rewording drawn = madeUp.draw(WANTED, ALL, new SplittableRandom(seed));
      String page = drawn.substituted(PAGE);
      String wanted = page.replaceFirst(".* color: ", "").replaceFirst(", and size: 5$", "");
      String[] listed =
          page.replaceFirst("^.*? · ", "").replaceFirst("; size · .*", "").split(" · ");
      assertThat(listed).hasSize(3).startsWith(wanted).doesNotHaveDuplicates();
      assertThat(VALUES).doesNotContain(listed);
      assertThat(page).startsWith("13 left. 1 color · ").contains("size · 5 · 6.");
      assertThat(drawn.restored("choose " + wanted)).isEqualTo("choose gray");
      assertThat(drawn.restored("choose " + listed[2])).isEqualTo("choose beige");
      seen.add(wanted);
      codes += wanted.matches(".*(\\d\\p{L}|\\p{L}\\d).*") ? 1 : 0;
    }
    assertThat(seen).hasSizeGreaterThan(120);
    assertThat(codes).isGreaterThan(60);
  }

  @Test
  void aNumberAloneStaysAndIsNotMadeBecauseItStandsElsewhereToo() {
    assertThat(madeUp.draw(Map.of("size", "5"), ALL, new SplittableRandom(1)))
        .isSameAs(Rewording.NONE);
    for (int seed = 0; seed < 200; seed++) {
      Rewording drawn = madeUp.draw(WANTED, ALL, new SplittableRandom(seed));
      assertThat(drawn.restored("open 1 2 3 13 left")).isEqualTo("open 1 2 3 13 left");
    }
  }
}
