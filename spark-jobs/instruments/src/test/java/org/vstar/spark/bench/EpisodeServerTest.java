package org.vstar.spark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;

class EpisodeServerTest {

  private static final String SEARCH = "<think></think><answer>search shoes</answer>";

  private static Environment shop() {
    Path config = Path.of("../../conf/webshop-lite.yaml").toAbsolutePath().normalize();
    RunConfig read = JobContext.read(config.toString(), Map.of("environment.maxTurns", "3"));
    return read.environment().open(config.getParent(), 1).environment();
  }

  private static List<JsonNode> said(Environment environment, String... lines) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new EpisodeServer()
        .serve(
            environment,
            true,
            new BufferedReader(new StringReader(String.join("\n", lines))),
            new PrintStream(out, true, StandardCharsets.UTF_8));
    List<JsonNode> answers = new ArrayList<>();
    for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
      answers.add(Json.MAPPER.readTree(line));
    }
    return answers;
  }

  private static String act(int episode, String text) {
    return Json.MAPPER.createObjectNode().put("episode", episode).put("text", text).toString();
  }

  @Test
  void anotherProgramSeesWhatAPolicyOfOursDoes() throws IOException {
    Environment shop = shop();
    Episode own = shop.start(shop.tasks(Split.TRAIN).get(5));
    Outcome searched = own.step("search shoes");
    List<JsonNode> said =
        said(shop, "{}", "{\"task\": 5, \"seed\": 7}", act(0, SEARCH), act(0, "no answer"));
    assertThat(said.get(0).path("prompts")).hasSameSizeAs(shop.tasks(Split.TRAIN));
    assertThat(said.get(0).path("prompts").get(5).asText())
        .isEqualTo(shop.tasks(Split.TRAIN).get(5).prompt());
    assertThat(said.get(0).path("maxTurns").asInt()).isEqualTo(3);
    assertThat(said.get(1).path("episode").asInt()).isZero();
    assertThat(said.get(2).path("reward").asDouble()).isEqualTo(searched.reward());
    assertThat(said.get(2).path("observation").asText()).isEqualTo(own.observation());
    assertThat(said.get(3).path("reward").asDouble())
        .isEqualTo(own.step(shop.answerFormat().read("no answer", true).action()).reward());
  }

  @Test
  void anEpisodeEndsAfterItsLastTurnAndOthersGoOn() throws IOException {
    List<JsonNode> said =
        said(
            shop(),
            "{\"task\": 0, \"seed\": 1}",
            "{\"task\": 1, \"seed\": 2}",
            act(0, SEARCH),
            act(0, SEARCH),
            act(1, SEARCH),
            act(0, SEARCH));
    assertThat(said.get(3).has("observation")).isTrue();
    assertThat(said.get(4).has("observation")).isTrue();
    assertThat(said.get(5).has("observation")).isFalse();
    assertThat(said.get(5).path("success").asBoolean()).isFalse();
  }
}
