package org.vstar.env.ragen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Outcome;

/** Recorded turns and episodes of RAGEN's loop. */
public final class LoopCases {

  private static final JsonNode FILE = GameCases.file("loop.json");

  private LoopCases() {}

  /**
   * A test for each turn and each episode of a game.
   *
   * @param game the game's name in the file
   * @param open opens what a tag and a case say
   */
  public static Stream<DynamicTest> of(String game, BiFunction<JsonNode, JsonNode, Game> open) {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode of : GameCases.cases(FILE, "cases")) {
      JsonNode tag = tag(of);
      if (tag.required("game").asText().equals(game)) {
        tests.add(
            DynamicTest.dynamicTest(
                of.required("id").asText(), () -> requireTurn(of, tag, open.apply(tag, of))));
      }
    }
    for (JsonNode of : GameCases.cases(FILE, "episodes")) {
      JsonNode tag = tag(of);
      if (tag.required("game").asText().equals(game)) {
        tests.add(
            DynamicTest.dynamicTest(
                of.required("id").asText(), () -> requireEpisode(of, tag, open.apply(tag, of))));
      }
    }
    assertThat(tests).isNotEmpty();
    return tests.stream();
  }

  private static JsonNode tag(JsonNode of) {
    return FILE.required("tags").required(of.required("tag").asText());
  }

  /** The settings and the system's message of a tag. */
  public static JsonNode tag(String name) {
    return FILE.required("tags").required(name);
  }

  /** RAGEN's loop with the settings of a tag and a case. */
  public static LoopConfig loop(JsonNode tag, JsonNode of) {
    return new LoopConfig(
        5,
        of.path("maxActionsPerTurn").asInt(2),
        tag.required("maxActions").asInt(),
        -0.1,
        of.path("think").asBoolean(true),
        tag.required("maxTokens").asInt());
  }

  private static Answer read(LoopConfig loop, String response) {
    String opened = (loop.thought() ? "<think>" : "<answer>") + response;
    return AnswerFormat.RAGEN.read(opened, loop.thought());
  }

  private static void requireTurn(JsonNode of, JsonNode tag, Game game) {
    LoopConfig loop = loop(tag, of);
    LoopEpisode episode = new LoopEpisode(game, loop);
    of.path("before").forEach(before -> episode.step(read(loop, before.asText()).action()));
    require(of, loop, episode);
  }

  /** Plays a response, and compares all that it leads to. */
  private static Outcome require(JsonNode of, LoopConfig loop, LoopEpisode episode) {
    Answer answer = read(loop, of.required("response").asText());
    List<String> listed = episode.listed(answer.action());
    assertThat(listed).isEqualTo(GameCases.texts(of.required("actions")));
    boolean cut = listed.size() == loop.actionsPerTurn() && isMore(answer.action(), listed);
    Answer kept = cut ? new Answer(answer.thought(), LoopEpisode.list(listed)) : answer;
    assertThat(AnswerFormat.RAGEN.write(kept, loop.thought()))
        .isEqualTo(of.required("history").asText());
    Outcome outcome = episode.step(answer.action());
    assertThat(outcome.parts().get("game")).isEqualTo(of.required("reward").asDouble());
    assertThat(outcome.parts().get("format")).isEqualTo(of.required("penalty").asDouble());
    assertThat(outcome.valid()).isEqualTo(of.required("penalty").asDouble() == 0);
    assertThat(outcome.done()).isEqualTo(of.required("done").asBoolean());
    assertThat(outcome.success()).isEqualTo(of.required("success").asBoolean());
    assertThat(outcome.done() && !outcome.success())
        .isEqualTo(of.required("truncated").asBoolean());
    if (!of.required("nextUser").isNull()) {
      assertThat(episode.observation()).isEqualTo(of.required("nextUser").asText());
    }
    return outcome;
  }

  private static boolean isMore(String action, List<String> listed) {
    return Stream.of(action.split("\\|\\|")).filter(piece -> !piece.isBlank()).count()
        > listed.size();
  }

  private static void requireEpisode(JsonNode of, JsonNode tag, Game game) {
    LoopConfig loop = loop(tag, of);
    LoopEpisode episode = new LoopEpisode(game, loop);
    assertThat(episode.observation()).isEqualTo(of.required("firstUser").asText());
    double rewards = 0;
    double penalties = 0;
    Outcome last = null;
    for (JsonNode turn : of.required("turns")) {
      last = require(turn, loop, episode);
      rewards += last.parts().get("game");
      penalties += last.parts().get("format");
    }
    assertThat(rewards).isEqualTo(of.required("rewardSum").asDouble());
    assertThat(penalties).isEqualTo(of.required("penaltySum").asDouble());
    assertThat(last.done()).isEqualTo(of.required("terminated").asBoolean());
    assertThat(last.success()).isEqualTo(of.required("success").asBoolean());
  }
}
