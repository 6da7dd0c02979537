package org.vstar.env.webshop.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.vstar.env.webshop.Recorded;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.reward.PurchaseReward;

class EpisodesConformanceTest {

  @Test
  void everyRecordedEpisodeIsPlayedCharacterForCharacter() {
    List<JsonNode> episodes = Recorded.lines("vectors.jsonl.gz");
    Map<Long, Recorded.Opened> bySeed = new HashMap<>();
    assertThat(episodes).isNotEmpty();
    for (JsonNode episode : episodes) {
      long seed = episode.path("seed").asLong(Recorded.SEED);
      Recorded.Opened opened = bySeed.computeIfAbsent(seed, Recorded.Opened::of);
      Goal goal = opened.goals().get(episode.path("goal_index").intValue());
      assertThat(goal.instruction())
          .isEqualTo(episode.path("goal").path("instruction_text").asText());
      play(opened.shop().session(goal, episode.path("session").asText(), true), episode);
    }
    bySeed.values().forEach(opened -> opened.shop().close());
  }

  private static void play(Session session, JsonNode episode) {
    int number = 0;
    for (JsonNode step : episode.path("steps")) {
      String where =
          episode.path("id").asText() + ", step " + number++ + ": " + step.path("action");
      double reward = 0;
      boolean done = false;
      if (!step.path("action").isNull()) {
        Session.Step taken = session.step(step.path("action").asText());
        reward = taken.reward();
        done = taken.done();
        if (step.has("reward_info")) {
          parts(taken.purchase(), step.path("reward_info"), where);
        }
      }
      assertThat(session.page().text()).as(where).isEqualTo(step.path("obs").asText());
      assertThat(session.page().richText()).as(where).isEqualTo(step.path("obs_rich").asText());
      assertThat(session.url()).as(where).isEqualTo(step.path("url").asText());
      assertThat(reward).as(where).isEqualTo(step.path("reward").doubleValue());
      assertThat(done).as(where).isEqualTo(step.path("done").booleanValue());
      JsonNode available = step.path("available");
      assertThat(session.page().searchBar())
          .as(where)
          .isEqualTo(available.path("has_search_bar").booleanValue());
      List<String> clickables = new ArrayList<>();
      available.path("clickables").forEach(c -> clickables.add(c.asText()));
      assertThat(session.page().clickables().keySet())
          .as(where)
          .containsExactlyElementsOf(clickables);
    }
  }

  private static void parts(PurchaseReward.Parts parts, JsonNode expected, String where) {
    assertThat(parts).as(where).isNotNull();
    assertThat(parts.type()).as(where).isEqualTo(expected.path("r_type").doubleValue());
    assertThat(parts.attributes()).as(where).isEqualTo(expected.path("r_att").doubleValue());
    assertThat(parts.attributeWeight()).as(where).isEqualTo(expected.path("w_att").doubleValue());
    assertThat(parts.queryMatch()).as(where).isEqualTo(expected.path("query_match").booleanValue());
    assertThat(parts.categoryMatch())
        .as(where)
        .isEqualTo(expected.path("category_match").booleanValue());
    assertThat(parts.titleScore()).as(where).isEqualTo(expected.path("title_score").doubleValue());
    assertThat(parts.options()).as(where).isEqualTo(share(expected, "r_option"));
    assertThat(parts.optionWeight()).as(where).isEqualTo(share(expected, "w_option"));
    assertThat(parts.price()).as(where).isEqualTo(expected.path("r_price").booleanValue());
    assertThat(parts.priceWeight()).as(where).isEqualTo(expected.path("w_price").doubleValue());
  }

  /** Boxed, so that the NaN of goals without options equals itself. */
  private static Double share(JsonNode expected, String key) {
    return expected.has(key) ? expected.path(key).doubleValue() : Double.NaN;
  }
}
