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

  private static final List<String> CATALOGUE = List.of("Rose", "floral print", "12 pack");
  private static final Item ITEM =
      MiniShop.open(WebShopConfig.Prompts.COMPACT, WebShopConfig.Compat.SANE, 0)
          .shop()
          .data()
          .items()
          .get(0)
          .withOptions(Map.of("color", List.of("Black", "Wine"), "size", List.of("small")));

  @Test
  void aListGetsValuesThatAreNearlyTheWantedOneButNeverTheWantedOne() {
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      AlikeValues alike = new AlikeValues(seed, 1, Map.of("color", "light blue"), CATALOGUE);
      Item other = alike.apply(ITEM);
      assertThat(alike.apply(ITEM)).isEqualTo(other);
      assertThat(other.options().get("size")).containsExactly("small");
      List<String> values = new ArrayList<>(other.options().get("color"));
      assertThat(values).containsSubsequence("Black", "Wine").doesNotContain("light blue");
      assertThat(values).hasSizeBetween(3, 4).doesNotHaveDuplicates();
      seen.addAll(values);
    }
    assertThat(seen)
        .contains("blue", "rose blue", "light rose", "light blue rose", "12 light blue")
        .hasSize(2 + 1 + 4 * CATALOGUE.size());
  }

  @Test
  void aProductWithoutTheWantedOptionStaysAsItIs() {
    AlikeValues alike = new AlikeValues(1, 1, Map.of("style", "light blue"), CATALOGUE);
    assertThat(alike.apply(ITEM).options()).isEqualTo(ITEM.options());
  }

  @Test
  void oneWordGetsAnotherBeforeOrBehindIt() {
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 100; seed++) {
      AlikeValues alike = new AlikeValues(seed, 1, Map.of("color", "pink"), List.of("hot"));
      seen.addAll(alike.apply(ITEM).options().get("color"));
    }
    assertThat(seen).containsExactlyInAnyOrder("Black", "Wine", "hot pink", "pink hot");
  }
}
