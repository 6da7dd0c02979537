package org.vstar.env.webshop.dialogue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.webshop.Recorded;
import org.vstar.env.webshop.simulator.Session;
import org.vstar.env.webshop.simulator.WebShop;

class VerlPromptsConformanceTest {

  @Test
  void everyPromptOfARecordedEpisodeIsVerlAgents() {
    List<JsonNode> cases = Recorded.lines("verl_prompts.jsonl.gz");
    Recorded.Opened opened = Recorded.Opened.of(Recorded.SEED);
    int prompts = 0;
    try (WebShop shop = opened.shop()) {
      for (JsonNode c : cases) {
        if (c.has("id")) {
          // An episode is called after its goal: rand-966.
          String id = c.path("id").asText();
          int goal = Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
          prompts += play(shop.session(opened.goals().get(goal), "" + goal, true), c);
        }
      }
    }
    assertThat(prompts).isPositive();
  }

  private static int play(Session session, JsonNode c) {
    String task = VerlAgentFormat.task(session.page().text());
    assertThat(task).isEqualTo(c.path("task").asText());
    List<VerlAgentFormat.PastTurn> past = new ArrayList<>();
    int prompts = 0;
    for (int i = 0; i < c.path("actions").size(); i++) {
      String where = c.path("id").asText() + ", step " + i;
      if (i > 0) {
        String action = c.path("actions").get(i).asText();
        past.add(
            new VerlAgentFormat.PastTurn(
                VerlAgentFormat.observation(session.page(), task), action));
        session.step(action);
      }
      assertThat(VerlAgentFormat.observation(session.page(), task))
          .as(where)
          .isEqualTo(c.path("anchors").get(i).asText());
      JsonNode prompt = c.path("prompts").get(i);
      if (!prompt.isNull()) {
        prompts++;
        assertThat(VerlAgentFormat.prompt(session.page(), task, past))
            .as(where)
            .isEqualTo(prompt.asText());
      }
    }
    return prompts;
  }

  @Test
  void actionsAreReadOutOfAnswersAsVerlAgentDoes() {
    int cases = 0;
    for (JsonNode line : Recorded.lines("verl_prompts.jsonl.gz")) {
      for (JsonNode c : line.path("projection")) {
        cases++;
        VerlAgentFormat.Projected projected = VerlAgentFormat.project(c.path("output").asText());
        assertThat(projected.action()).isEqualTo(c.path("action").asText());
        assertThat(projected.valid()).isEqualTo(c.path("valid").intValue() == 1);
      }
    }
    assertThat(cases).isPositive();
  }
}
