package org.vstar.env.frozenlake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vstar.env.python.NumpyGenerator;
import org.vstar.env.ragen.Board;
import org.vstar.env.ragen.Game.Move;
import org.vstar.env.ragen.GameCases;
import org.vstar.env.ragen.GridMode;
import org.vstar.env.ragen.LoopCases;

class FrozenLakeCasesTest {

  private static final List<String> LISTS = List.of("cases", "texts", "otherSlips");

  @TestFactory
  Stream<DynamicTest> aLakeIsRagensAndAWalkOnItGymnasiums() {
    JsonNode file = GameCases.file("frozenlake.json");
    List<DynamicTest> tests = new ArrayList<>();
    for (String list : LISTS) {
      for (JsonNode of : GameCases.cases(file, list)) {
        tests.add(DynamicTest.dynamicTest(list + " " + of.get("seed"), () -> require(of)));
      }
    }
    return tests.stream();
  }

  private static void require(JsonNode of) {
    String mapSeed = of.required("seed").asText();
    int size = of.required("size").asInt();
    double frozen = of.required("p").asDouble();
    LakeMap map = map(mapSeed, size, frozen);
    assertThat(map.rows()).isEqualTo(GameCases.texts(of.required("map")));
    assertThat(map.shortest()).isEqualTo(of.required("shortest").asInt());
    assertThat(Board.of("", Board.firstImage(map.rows()), 0).key())
        .isEqualTo(of.required("key").asText());
    assertThat(cell(map.start(), size)).isEqualTo(of.required("start").toString());
    String slips = of.path("slipSeed").asText(mapSeed);
    double rate = of.required("rate").asDouble();
    Walk walk = new Walk(map, rate, GridMode.GRID, new NumpyGenerator(new BigInteger(slips)));
    requireTexts(of, walk, 0);
    for (int i = 0; i < of.required("actions").size(); i++) {
      Move move = walk.play(Walk.ACTIONS.get(of.required("actions").get(i).asInt() - 1));
      assertThat(cell(walk.player(), size)).isEqualTo(of.required("cells").get(i).toString());
      assertThat(move.reward()).isEqualTo(of.required("rewards").get(i).asDouble());
      assertThat(move.done()).isEqualTo(of.required("done").get(i).asBoolean());
      assertThat(move.success()).isEqualTo(of.required("success").get(i).asBoolean());
      requireTexts(of, walk, i + 1);
    }
  }

  private static LakeMap map(String seed, int size, double frozen) {
    return LakeMap.of(new NumpyGenerator(new BigInteger(seed)), size, frozen);
  }

  private static String cell(int place, int size) {
    return "[" + place / size + "," + place % size + "]";
  }

  private static void requireTexts(JsonNode of, Walk walk, int step) {
    if (of.has("grid")) {
      assertThat(walk.grid()).isEqualTo(of.required("grid").get(step).asText());
      assertThat(walk.coordinates()).isEqualTo(of.required("coord").get(step).asText());
      assertThat(GridMode.GRID_COORD.text(walk.grid(), walk.coordinates()))
          .isEqualTo(of.required("grid_coord").get(step).asText());
    }
  }

  private static GridMode mode(JsonNode tag) {
    return GridMode.valueOf(tag.required("mode").asText().toUpperCase(Locale.ROOT));
  }

  private static FrozenLake lake(JsonNode tag) {
    return new FrozenLake(
        tag.required("size").asInt(),
        tag.required("p").asDouble(),
        tag.required("rate").asDouble(),
        mode(tag));
  }

  @TestFactory
  Stream<DynamicTest> aTurnInRagensLoopIsRagens() {
    return LoopCases.of(
        "frozenlake",
        (tag, of) -> {
          long seed = of.required("seed").asLong();
          return lake(tag).game(seed, seed);
        });
  }

  @Test
  void theSystemsMessageIsRagens() {
    for (String name : List.of("FrozenLake", "CoordFrozenLake")) {
      JsonNode tag = LoopCases.tag(name);
      assertThat(lake(tag).system(LoopCases.loop(tag, tag)))
          .isEqualTo(tag.required("system").asText());
    }
  }

  @Test
  void splitsShareNoLake() {
    JsonNode splits = GameCases.file("frozenlake.json").required("splits");
    GameCases.requireSplits(
        new FrozenLake(
            splits.required("size").asInt(), splits.required("p").asDouble(), 0.8, GridMode.GRID),
        splits);
  }
}
