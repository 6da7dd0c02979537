package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.vstar.env.webshop.MiniShop;
import org.vstar.env.webshop.WebShopConfig;
import org.vstar.env.webshop.catalog.Item;

class AlikeValuesTest {

  private static final List<String> CATALOGUE =
      List.of("Rose", "floral print", "12 pack", "light gray", "blue");
  private static final Item ITEM =
      MiniShop.open(WebShopConfig.Prompts.COMPACT, WebShopConfig.Compat.SANE, 0)
          .shop()
          .data()
          .items()
          .get(0)
          .withOptions(Map.of("color", List.of("black", "wine"), "size", List.of("small")));

  @Test
  void aListGetsValuesThatAreNearlyTheWantedOneButNeverTheWantedOne() {
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      AlikeValues alike = new AlikeValues(seed, 1, Map.of("color", "light blue"), CATALOGUE);
      Item other = alike.apply(ITEM);
      assertThat(alike.apply(ITEM)).isEqualTo(other);
      assertThat(other.options().get("size")).containsExactly("small");
      List<String> values = new ArrayList<>(other.options().get("color"));
      assertThat(values).containsSubsequence("black", "wine").doesNotContain("light blue");
      assertThat(values).hasSizeBetween(2, 4).doesNotHaveDuplicates();
      seen.addAll(values);
    }
    assertThat(seen)
        .contains("blue", "rose blue", "light rose", "light blue rose", "12 light blue")
        .allMatch(value -> value.matches("black|wine|.*(light|blue).*"));
  }

  @Test
  void whatStandsBetweenAndBehindWordsStaysWhereAWordIsReplaced() {
    Map<String, String> alikes =
        Map.of(
            "1 pound (pack of 1)",
                "(\\w+ )?1 pound \\(pack of \\w+\\)( \\w+)?|.*pound \\(pack of 1\\)",
            "black_style_99234", "(\\w+ )?\\p{L}\\w*_style_\\w+( \\w+)?|12_style_99234|style_99234",
            "bleu écru été", "([\\p{L}\\d]+ ){1,3}[\\p{L}\\d]+");
    alikes.forEach(
        (wanted, alike) -> {
          for (int seed = 0; seed < 100; seed++) {
            AlikeValues values = new AlikeValues(seed, 1, Map.of("color", wanted), CATALOGUE);
            assertThat(values.apply(ITEM).options().get("color"))
                .doesNotContain(wanted)
                .allMatch(value -> value.matches("black|wine|" + alike));
          }
        });
  }

  @Test
  void aProductWithoutTheWantedOptionStaysAsItIs() {
    AlikeValues alike = new AlikeValues(1, 1, Map.of("style", "light blue"), CATALOGUE);
    assertThat(alike.apply(ITEM).options()).isEqualTo(ITEM.options());
  }

  @Test
  void noValueOfAnotherOptionIsPutIn() {
    for (int seed = 0; seed < 100; seed++) {
      AlikeValues alike = new AlikeValues(seed, 1, Map.of("color", "very small"), CATALOGUE);
      assertThat(alike.apply(ITEM).options().get("color")).doesNotContain("small");
    }
  }

  @Test
  void oneWordGetsAnotherBeforeOrBehindIt() {
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 100; seed++) {
      AlikeValues alike = new AlikeValues(seed, 1, Map.of("color", "pink"), List.of("hot"));
      seen.addAll(alike.apply(ITEM).options().get("color"));
    }
    assertThat(seen).containsExactlyInAnyOrder("black", "wine", "hot pink", "pink hot");
  }
}
