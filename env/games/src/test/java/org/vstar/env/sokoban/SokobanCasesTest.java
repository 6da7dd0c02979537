package org.vstar.env.sokoban;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vstar.env.ragen.Game.Move;
import org.vstar.env.ragen.GameCases;
import org.vstar.env.ragen.GridMode;
import org.vstar.env.ragen.LoopCases;

class SokobanCasesTest {

  private static final String CODES = "0123456";

  private final JsonNode file = GameCases.file("sokoban.json");

  private RoomConfig room(JsonNode of) {
    JsonNode kind = file.required("kinds").required(of.required("kind").asText());
    return new RoomConfig(
        kind.get(0).asInt(), kind.get(1).asInt(), kind.get(2).asInt(), kind.get(3).asInt());
  }

  @TestFactory
  Stream<DynamicTest> aRoomIsGymSokobansAndSoIsEachStepInIt() {
    List<DynamicTest> tests = new ArrayList<>();
    for (String list : List.of("cases", "texts", "limit")) {
      for (JsonNode of : GameCases.cases(file, list)) {
        String name = list + " " + of.get("kind").asText() + " " + of.get("seed");
        tests.add(DynamicTest.dynamicTest(name, () -> require(of)));
      }
    }
    return tests.stream();
  }

  private void require(JsonNode of) {
    Room room = new RoomGenerator(room(of), of.required("seed").asLong()).room().orElseThrow();
    assertThat(room.text(room.fixed(), CODES))
        .isEqualTo(String.join("\n", GameCases.texts(of.required("fixed"))));
    assertThat(room.text(room.state(), CODES))
        .isEqualTo(String.join("\n", GameCases.texts(of.required("state"))));
    Sokoban world = new Sokoban(room(of), GridMode.GRID, Sokoban.STANDARD, 100);
    assertThat(world.board(of.required("seed").asLong()).orElseThrow().key())
        .isEqualTo(of.required("key").asText());
    assertThat(Solver.solution(room).orElseThrow()).hasSize(of.required("shortest").asInt());
    int most = of.path("maxSteps").asInt(100);
    Push push = new Push(room, GridMode.GRID, Sokoban.STANDARD, most);
    requireTexts(of, push, 0);
    for (int i = 0; i < of.required("actions").size(); i++) {
      Move move = push.play(Push.ACTIONS.get(of.required("actions").get(i).asInt() - 1));
      assertThat(room.text(room.state(), CODES).replace('\n', '/'))
          .isEqualTo(of.required("states").get(i).asText());
      assertThat(move.reward()).isEqualTo(of.required("rewards").get(i).asDouble());
      assertThat(move.done()).isEqualTo(of.required("done").get(i).asBoolean());
      assertThat(move.success()).isEqualTo(of.required("success").get(i).asBoolean());
      assertThat(room.boxesOnTargets()).isEqualTo(of.required("onTarget").get(i).asInt());
      requireTexts(of, push, i + 1);
    }
  }

  private void requireTexts(JsonNode of, Push push, int step) {
    if (!of.has("grid")) {
      return;
    }
    assertThat(push.grid()).isEqualTo(of.required("grid").get(step).asText());
    assertThat(push.coordinates()).isEqualTo(of.required("coord").get(step).asText());
    assertThat(GridMode.GRID_COORD.text(push.grid(), push.coordinates()))
        .isEqualTo(of.required("grid_coord").get(step).asText());
    String other = file.required("vocabularies").required("other").asText();
    assertThat(new Push(push.room(), GridMode.GRID, other, 100).state())
        .isEqualTo(of.required("otherVocabulary").get(step).asText());
  }

  @TestFactory
  Stream<DynamicTest> aSeedWithoutARoomIsRefusedWithItsReason() {
    return GameCases.cases(file, "refused").stream()
        .map(
            of ->
                DynamicTest.dynamicTest(
                    of.get("kind").asText() + " " + of.get("seed"),
                    () -> {
                      RoomGenerator generator =
                          new RoomGenerator(room(of), of.required("seed").asLong());
                      assertThat(generator.room()).isEmpty();
                      assertThat(generator.refusal()).isEqualTo(of.required("refused").asText());
                    }));
  }

  private static Sokoban world(JsonNode tag, String symbols) {
    RoomConfig room =
        new RoomConfig(
            tag.required("rows").asInt(),
            tag.required("cols").asInt(),
            tag.required("boxes").asInt(),
            tag.required("depth").asInt());
    GridMode mode = GridMode.valueOf(tag.required("mode").asText().toUpperCase(Locale.ROOT));
    return new Sokoban(room, mode, symbols, 100);
  }

  @TestFactory
  Stream<DynamicTest> aTurnInRagensLoopIsRagens() {
    return LoopCases.of(
        "sokoban",
        (tag, of) -> {
          String symbols = tag.path("symbols").asText(Sokoban.STANDARD);
          return world(tag, symbols).game(of.required("seed").asLong(), 0);
        });
  }

  @Test
  void theSystemsMessageIsRagensWhoseLegendIsThatOfTheStandardSymbols() {
    for (String name :
        List.of("SimpleSokoban", "LargerSokoban", "SokobanDifferentGridVocab", "CoordSokoban")) {
      JsonNode tag = LoopCases.tag(name);
      assertThat(world(tag, Sokoban.STANDARD).system(LoopCases.loop(tag, tag)))
          .isEqualTo(tag.required("system").asText());
    }
    JsonNode other = LoopCases.tag("SokobanDifferentGridVocab");
    assertThat(world(other, "W.GCBA@").system(LoopCases.loop(other, other)))
        .contains("W: wall, .: empty, G: target");
  }

  @Test
  void splitsShareNoRoom() {
    JsonNode splits = file.required("splits");
    GameCases.requireSplits(
        new Sokoban(room(splits), GridMode.GRID, Sokoban.STANDARD, 100), splits);
  }
}
