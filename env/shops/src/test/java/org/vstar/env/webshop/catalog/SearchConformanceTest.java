package org.vstar.env.webshop.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.shopping.SearchIndex;
import org.vstar.env.webshop.Recorded;

class SearchConformanceTest {

  @Test
  void everyQueryFindsTheSameProductsInTheSameOrderWithTheSameScores() {
    JsonNode cases = Recorded.json("search_cases.json");
    WebShopData data = Recorded.data(new PythonRandom(Recorded.SEED));
    try (SearchIndex search = data.products().search()) {
      assertThat(cases).isNotEmpty();
      for (JsonNode c : cases) {
        List<SearchIndex.Hit> expected = new ArrayList<>();
        for (JsonNode hit : c.path(1)) {
          expected.add(new SearchIndex.Hit(hit.path(0).asText(), hit.path(1).floatValue()));
        }
        assertThat(search.search(c.path(0).asText())).as(c.path(0).asText()).isEqualTo(expected);
      }
    }
  }
}
