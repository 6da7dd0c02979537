package org.vstar.env.webshop.goal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.Recorded;
import org.vstar.env.webshop.catalog.WebShopData;

class GoalsConformanceTest {

  @Test
  void pricesAreTheOriginalsToTheLastBit() {
    JsonNode expected = Recorded.json("product_prices_seed233.json");
    WebShopData data = Recorded.data(new PythonRandom(Recorded.SEED));
    assertThat(data.items()).hasSize(expected.size());
    data.items()
        .forEach(i -> assertThat(data.price(i)).isEqualTo(expected.path(i.asin()).doubleValue()));
  }

  @Test
  void goalsAreTheOriginalsInItsOrder() {
    List<JsonNode> expected = Recorded.lines("goals_seed233.jsonl.gz");
    PythonRandom random = new PythonRandom(Recorded.SEED);
    List<Goal> goals = Recorded.goals(Recorded.data(random), random, Recorded.SEED);
    assertThat(goals).hasSize(expected.size());
    for (int i = 0; i < goals.size(); i++) {
      Goal goal = goals.get(i);
      JsonNode e = expected.get(i);
      assertThat(goal.item().asin()).isEqualTo(e.path("asin").asText());
      assertThat(goal.item().title()).isEqualTo(e.path("name").asText());
      assertThat(goal.item().query()).isEqualTo(e.path("query").asText());
      assertThat(goal.item().category()).isEqualTo(e.path("category").asText());
      assertThat(goal.item().productCategory()).isEqualTo(e.path("product_category").asText());
      assertThat(goal.instruction()).isEqualTo(e.path("instruction_text").asText());
      assertThat(goal.priceUpper()).isEqualTo(e.path("price_upper").doubleValue());
      assertThat(goal.weight()).isEqualTo(e.path("weight").doubleValue());
      List<String> attributes = new ArrayList<>();
      e.path("attributes").forEach(a -> attributes.add(a.asText()));
      assertThat(goal.attributes()).isEqualTo(attributes);
      Map<String, String> options = new LinkedHashMap<>();
      e.path("goal_options")
          .properties()
          .forEach(o -> options.put(o.getKey(), o.getValue().asText()));
      assertThat(goal.options()).isEqualTo(options);
    }
  }

  @Test
  void theShuffleIsCPythons() {
    JsonNode expected = Recorded.json("perm_seed233_n6910.json");
    List<Integer> order = new ArrayList<>(IntStream.range(0, expected.size()).boxed().toList());
    new PythonRandom(Recorded.SEED).shuffle(order);
    for (int i = 0; i < order.size(); i++) {
      assertThat(order.get(i)).isEqualTo(expected.get(i).intValue());
    }
  }
}
